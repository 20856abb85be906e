#include "model/session.h"

#include <algorithm>
#include <utility>

namespace helix::model {

void KeyValues::reserve(std::size_t positions) {
  if (positions <= capacity_) return;
  KeyValues larger(n_head_, d_head_, panel_);
  // Whole panels, and half as much again: a text grows by a token at a time.
  larger.capacity_ = (std::max(positions, capacity_ + capacity_ / 2) + panel_ - 1) / panel_ * panel_;
  larger.keys_ = kernels::aligned_floats(n_head_ * larger.key_stride());
  larger.values_ = kernels::aligned_floats(n_head_ * larger.value_stride());
  const std::size_t value_panels = capacity_ ? value_stride() / (panel_ * capacity_) : 0;
  for (std::size_t head = 0; head < n_head_ && capacity_; ++head) {
    std::copy_n(&keys_[head * key_stride()], key_stride(), &larger.keys_[head * larger.key_stride()]);
    for (std::size_t p = 0; p < value_panels; ++p)
      std::copy_n(&values_[head * value_stride() + p * panel_ * capacity_], panel_ * capacity_,
                  &larger.values_[head * larger.value_stride() + p * panel_ * larger.capacity_]);
  }
  *this = std::move(larger);
}

KeyValues KeyValues::copy() const {
  KeyValues out(n_head_, d_head_, panel_);
  if (capacity_ == 0) return out;
  out.capacity_ = capacity_;
  out.keys_ = kernels::aligned_floats(n_head_ * key_stride());
  out.values_ = kernels::aligned_floats(n_head_ * value_stride());
  std::copy_n(&keys_[0], n_head_ * key_stride(), &out.keys_[0]);
  std::copy_n(&values_[0], n_head_ * value_stride(), &out.values_[0]);
  return out;
}

void KeyValues::put(std::size_t position, const float* keys, const float* values) {
  assert(position < capacity_);
  for (std::size_t head = 0; head < n_head_; ++head) {
    float* key = &keys_[head * key_stride() + position / panel_ * d_head_ * panel_ + position % panel_];
    float* value = &values_[head * value_stride() + position * panel_];
    for (std::size_t i = 0; i < d_head_; ++i) {
      key[i * panel_] = keys[head * d_head_ + i];
      value[i / panel_ * panel_ * capacity_ + i % panel_] = values[head * d_head_ + i];
    }
  }
}

kernels::PackedView KeyValues::keys(std::size_t head, std::size_t positions) const {
  return {&keys_[head * key_stride()], d_head_, positions, panel_, d_head_ * panel_};
}

kernels::PackedView KeyValues::values(std::size_t head, std::size_t positions) const {
  return {&values_[head * value_stride()], positions, d_head_, panel_, panel_ * capacity_};
}

std::size_t Session::bytes() const {
  std::size_t bytes = 0;
  for (const Stage& stage : stages) bytes += stage.cache.bytes() + stage.resid_pre.data.size() * sizeof(float);
  return bytes;
}

}  // namespace helix::model
