#include "app/text_shown.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

#include "base/divergence.h"
#include "base/shared_words.h"
#include "base/text.h"
#include "base/utf8.h"

namespace helix::app {
namespace {

constexpr std::size_t kMostWords = 64;  // words put on a curve; the text may be longer
constexpr std::size_t kNext = 5;        // tokens whose probability is listed with and without edits

std::string word_of(const protocol::Token& token) {
  const std::string text = shown_bytes(token.bytes);
  const std::string_view bare = std::string_view(text).substr(std::min(text.find_first_not_of(' '), text.size()));
  return bare.empty() ? "␣" : std::string(bare);
}

/// The likeliest next tokens of a run; whole, or nothing.
struct Listed {
  const protocol::Array *ids, *p;
  const protocol::Words* texts;

  std::size_t size() const { return ids->data.size(); }
  double least() const { return p->data.empty() ? 0 : p->data.back(); }
  double probability(double id) const {
    const auto at = std::ranges::find(ids->data, id);
    return at == ids->data.end() ? std::nan("") : p->data[static_cast<std::size_t>(at - ids->data.begin())];
  }
};

std::optional<Listed> listed(const protocol::Result& result) {
  const Listed all{result.array("token"), result.array("probability"), result.words_of("text")};
  if (!all.ids || !all.p || !all.texts || all.p->data.size() != all.size() || all.texts->data.size() != all.size())
    return std::nullopt;
  return all;
}

}  // namespace

std::vector<NextToken> next_tokens(const protocol::Result& now, const protocol::Result& before) {
  const auto here = listed(now), there = listed(before);
  if (!here || !there) return {};
  std::vector<NextToken> out;
  std::vector<double> ids;
  for (const Listed* side : {&*here, &*there})
    for (std::size_t i = 0; i < std::min(kNext, side->size()); ++i) {
      const double id = side->ids->data[i];
      if (std::ranges::find(ids, id) != ids.end()) continue;
      ids.push_back(id);
      out.push_back({side->texts->data[i], here->probability(id), there->probability(id)});
    }
  // A token that one run does not list has less there than the last one that it lists.
  const auto moved = [&](const NextToken& token) {
    const double p = std::isnan(token.probability) ? here->least() : token.probability;
    const double q = std::isnan(token.before) ? there->least() : token.before;
    return std::abs(p - q);
  };
  std::ranges::stable_sort(out, std::greater(), moved);
  if (out.size() > kNext) out.resize(kNext);
  return out;
}

double least_divergence(const protocol::Result& now, const protocol::Result& before) {
  const auto here = listed(now), there = listed(before);
  if (!here || !there) return std::nan("");
  std::vector<Probabilities> all;
  for (std::size_t i = 0; i < there->size(); ++i)
    all.push_back({there->p->data[i], here->probability(there->ids->data[i])});
  for (std::size_t i = 0; i < here->size(); ++i)
    if (std::isnan(there->probability(here->ids->data[i]))) all.push_back({std::nan(""), here->p->data[i]});
  return helix::least_divergence(all);
}

std::vector<std::string> words_of(const std::vector<protocol::Token>& tokens) {
  std::vector<std::string> words;
  for (const protocol::Token& token : tokens) {
    if (words.size() == kMostWords) break;
    words.push_back(word_of(token));
  }
  return words;
}

std::string beyond_end(const std::string& model, std::size_t positions) {
  return shared_words("text.beyond",
                      {{"model", model}, {"last", with_thousands(static_cast<long long>(positions) - 1)}});
}

}  // namespace helix::app
