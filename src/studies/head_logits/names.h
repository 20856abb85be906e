// The set of indirect-object prompts: two people are named, one of them gives something, and the other one's name is to
// come next (Wang et al. 2022; these sentences are our own).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/expected.h"
#include "tokenizer/tokenizer.h"

namespace helix::studies::head_logits {

struct NamePrompt {
  std::string text;
  std::int32_t right = 0, other = 0;  // the name that is to come next, and that of who gives
};

/// Pairs of names in four sentences; each pair in both orders, "A and B … B gave" and "B and A … B gave". Only names that
/// are one token of this vocabulary take part; an error where fewer than two are.
Expected<std::vector<NamePrompt>> name_prompts(const tokenizer::Tokenizer& tokenizer);

}  // namespace helix::studies::head_logits
