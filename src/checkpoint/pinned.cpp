// Tensors that are being read stay, whoever releases them meanwhile.
#include "checkpoint/weights.h"

namespace helix::checkpoint {

void WeightFile::pin(const std::string& tensor) { ++pins_[std::string(bare_name(tensor))].count; }

void WeightFile::unpin(const std::string& tensor) {
  const auto pin = pins_.find(bare_name(tensor));
  if (pin == pins_.end() || --pin->second.count > 0) return;
  const bool released = pin->second.released;
  pins_.erase(pin);
  if (released) release(tensor);
}

Pinned::Pinned(std::shared_ptr<WeightFile> file, std::vector<std::string> tensors)
    : file_(std::move(file)), tensors_(std::move(tensors)) {
  for (const std::string& tensor : tensors_) file_->pin(tensor);
}

Pinned::~Pinned() {
  for (const std::string& tensor : tensors_) file_->unpin(tensor);
}

}  // namespace helix::checkpoint
