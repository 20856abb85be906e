// Names of control models: a model with something random in the place of what it learned, made from a seed.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/expected.h"

namespace helix {

enum class ControlKind { walk, rows, noise, weights };
inline constexpr std::array<std::string_view, 4> kControlKinds{"walk", "rows", "noise", "weights"};
inline constexpr std::string_view kControlPrefix = "control:";

/// "control:walk:3@minihelix"; without a base, "control:walk:3", the one who opens it chooses the model it is made from.
struct ControlName {
  ControlKind kind = ControlKind::walk;
  std::uint32_t seed = 0;
  std::string base{};
  bool operator==(const ControlName&) const = default;
};

inline bool is_control(std::string_view name) { return name.starts_with(kControlPrefix); }

/// An error, one sentence, says what a control's name looks like.
Expected<ControlName> parse_control(std::string_view name);
std::string to_text(const ControlName& control);

/// "a random walk with the steps of minihelix": within a sentence.
std::string phrase(const ControlName& control);

/// "GPT-2" for any name of it ("gpt2-small-partial", "openai-community/gpt2"), with its size if that is not the small one;
/// a control's phrase; other names unchanged.
std::string spoken_model(const std::string& name);

}  // namespace helix
