// What the page says about the engine and about downloads.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "protocol/messages.h"

namespace helix::app {

struct Status {
  std::string model;                 // the open one
  std::uint64_t have = 0, want = 0;  // bytes of weights of the open model
  struct Loading {
    std::string model;
    std::uint64_t have = 0, want = 0;
  };
  std::vector<Loading> others;  // the same for each other model that a run needs
  std::optional<protocol::Failure> failure;
  std::vector<std::string> notices;
  std::optional<protocol::Opened> opened;
  std::optional<protocol::Hello> engine;
};

}  // namespace helix::app
