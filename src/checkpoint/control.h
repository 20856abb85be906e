// Control models: a checkpoint with random numbers in the place of what it learned, so that any study can be run on
// something that learned nothing. Names are those of base/control_name.h; numbers are numpy's (base/pcg64.h).
//
//   walk     wpe: row 0 as learned, then steps in random directions, each as long as the learned step it replaces
//   rows     wpe: the learned rows in random order, all of them
//   noise    wpe: random rows, each as long as the learned row it replaces
//   weights  every tensor: normal numbers with its own mean and standard deviation (divided by n), from the stream
//            default_rng([seed, *name.encode()]), the name without "transformer."
//
// The seed's own stream, default_rng(seed), draws the first three. Everything is computed in double and rounded once to
// 32-bit floats, however the checkpoint is stored.
#pragma once

#include <vector>

#include "base/control_name.h"
#include "base/expected.h"
#include "checkpoint/safetensors.h"

namespace helix::checkpoint {

struct TensorView;

class Control {
 public:
  explicit Control(ControlName name) : name_(std::move(name)) {}
  const ControlName& name() const { return name_; }
  /// Whether other numbers stand in this tensor's place.
  bool replaces(const TensorInfo& tensor) const;
  /// The file's header with the replaced tensors as they are read from here on, as F32; their places are the file's.
  Header shown(Header stored) const;
  /// The numbers in the place of a tensor that is replaced.
  Expected<std::vector<float>> numbers(const TensorView& stored) const;

 private:
  ControlName name_;
};

}  // namespace helix::checkpoint
