// What a forward pass keeps for the next one: keys and values, so that a further token costs one row; and the input of
// each layer, so that a change in layer L is computed from layer L on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "base/matrix.h"
#include "kernels/packed.h"

namespace helix::model {

/// Keys and values of one layer, in the order in which attention multiplies them. Row = position.
class KeyValues {
 public:
  KeyValues() = default;
  KeyValues(std::size_t n_head, std::size_t d_head, std::size_t panel)
      : n_head_(n_head), d_head_(d_head), panel_(panel) {}

  /// Room for this many positions; what is there stays.
  void reserve(std::size_t positions);
  /// Keys and values of all heads at a position, [n_head·d_head] each, heads side by side.
  void put(std::size_t position, const float* keys, const float* values);
  /// K^T of a head, [d_head, positions].
  kernels::PackedView keys(std::size_t head, std::size_t positions) const;
  /// V of a head, [positions, d_head].
  kernels::PackedView values(std::size_t head, std::size_t positions) const;
  KeyValues copy() const;
  std::size_t bytes() const { return 2 * n_head_ * d_head_ * capacity_ * sizeof(float); }

 private:
  std::size_t key_stride() const { return d_head_ * capacity_; }  // capacity is a whole number of panels
  std::size_t value_stride() const { return (d_head_ + panel_ - 1) / panel_ * panel_ * capacity_; }

  std::size_t n_head_ = 0, d_head_ = 0, panel_ = 1, capacity_ = 0;
  kernels::Aligned<float> keys_, values_;
};

struct Session {
  std::vector<std::int32_t> tokens;  // that ran
  std::string embedding;             // what was done to them before the first layer
  /// For each layer: what was done in it, and whether its part below belongs to `tokens`.
  struct Stage {
    bool done = false;
    std::string edits;
    Matrix<float> resid_pre;  // [position, d_model], as it went in
    KeyValues cache;
  };
  std::vector<Stage> stages;  // one a layer, and one more whose resid_pre is the input of ln_f
  /// A pass that no other continues from: it keeps no layer but the one that runs.
  bool once = false;

  std::size_t bytes() const;
};

class Network;
struct Asked;

/// The sessions of one network, a few texts with the edits they ran with: a run with an edit continues from a copy of
/// what it shares with the run without, so that each finds its own layers again. The least recently used goes first.
class Sessions {
 public:
  static constexpr std::size_t kMost = 4, kMostBytes = 256'000'000;
  explicit Sessions(std::size_t most = kMost, std::size_t most_bytes = kMostBytes)
      : most_(most), most_bytes_(most_bytes) {}

  /// The one to run this pass in; a new one where none helps.
  std::shared_ptr<Session> for_pass(const Network& network, const Asked& asked);
  /// One that is not kept. It begins where the kept one that shares most with this pass would.
  std::shared_ptr<Session> for_once(const Network& network, const Asked& asked) const;
  std::size_t size() const { return all_.size(); }
  std::size_t bytes() const;

 private:
  /// A session of the same text, and how many layers of it this pass can skip.
  struct Shared {
    std::list<std::shared_ptr<Session>>::const_iterator session;
    std::size_t layers = 0;
  };
  Shared most_shared(const Network& network, const Asked& asked) const;
  std::shared_ptr<Session> add(const Network& network, std::size_t n_tokens, Session session);

  std::size_t most_, most_bytes_;
  std::list<std::shared_ptr<Session>> all_;  // the most recently used last
};

}  // namespace helix::model
