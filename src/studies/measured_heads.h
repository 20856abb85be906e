// What others have measured of the heads of GPT-2 small, as claims of the study head_taxonomy, and our own prose for them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "studies/random_tokens.h"
#include "studies/study.h"

namespace helix::studies::head_taxonomy {

/// Our own text: the 750 tokens that the source text used were not published.
inline constexpr std::string_view kProse =
    "The harbour lay quiet under a grey sky when the last of the boats came in. Nobody on the quay had expected it "
    "so late in the year, and the old keeper, who had watched the sea for forty winters, put down his pipe and "
    "walked slowly to the end of the pier. The captain waved to him but did not call. Behind the boat a line of "
    "gulls followed the wake, rising and falling with the water, and for a while their cries were the only sound. "
    "When the ropes had been thrown and made fast, three men climbed ashore with a wooden chest between them. It was "
    "small, no longer than an arm, yet they carried it as if it held all that they had brought home from the north. "
    "The keeper asked what was in it. The captain laughed, wiped the salt from his face and said that he had asked "
    "himself the same question every night since they left the ice, because the woman who gave it to them had made "
    "him promise to open it only in this harbour, and only in front of the man who kept the light.";

/// A prompt with BOS in front, as in the source text.
inline std::string with_prompt(const std::string& edit, std::string_view prompt) {
  return "edit=" + edit + "&bos=1&prompt=" + std::string(prompt);
}

/// A head of GPT-2 small and the mean attention that others have measured on random tokens and on prose.
struct Measured {
  std::size_t layer, head;
  double random, prose = 0;

  std::string name() const { return std::to_string(layer) + "." + std::to_string(head); }
  std::string id(const char* kind) const { return std::string(kind) + "-" + name(); }
};
/// To what followed the same token in the first of two copies of 30 tokens, BOS in front.
inline constexpr Measured kInduction[] = {{5, 5, .926}, {6, 9, .891}, {7, 10, .890}, {5, 1, .887}, {7, 2, .803}};
/// To the previous token.
inline constexpr Measured kPrevious[] = {
    {4, 11, .987, .999}, {3, 7, .544, .358}, {2, 2, .494, .532}, {6, 8, .480, .188}, {5, 6, .415, .140}};
/// How far another draw of random tokens, or another text, may be from theirs.
inline constexpr double kNearInduction = 0.05, kNearOther = 0.1;

inline void declare_findings(Claims& claims, const std::string& prose) {
  constexpr std::string_view small = kGpt2Small;
  const std::string once = random_tokens(1), twice = random_tokens(2);
  for (const Measured& m : kInduction) claims.push_back({m.id("IND"), m.random, "fraction", small, twice});
  for (const Measured& m : kPrevious) {
    claims.push_back({m.id("PREV"), m.random, "fraction", small, once});
    claims.push_back({m.id("PREV") + "-prose", m.prose, "fraction", small, prose});
  }
}

}  // namespace helix::studies::head_taxonomy
