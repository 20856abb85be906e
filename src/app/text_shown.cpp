#include "app/text_shown.h"

#include <algorithm>
#include <cmath>

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

}  // namespace

std::vector<NextToken> next_tokens(const protocol::Result& now, const protocol::Result& before) {
  std::vector<NextToken> out;
  const protocol::Array *ids = now.array("token"), *p = now.array("probability"), *old_ids = before.array("token"),
                        *old_p = before.array("probability");
  const protocol::Words* texts = now.words_of("text");
  if (!ids || !p || !old_ids || !old_p || !texts || p->data.size() != ids->data.size() ||
      old_p->data.size() != old_ids->data.size())
    return out;
  for (std::size_t i = 0; i < std::min({kNext, ids->data.size(), texts->data.size()}); ++i) {
    const auto at = std::ranges::find(old_ids->data, ids->data[i]);
    const auto k = static_cast<std::size_t>(at - old_ids->data.begin());
    out.push_back({texts->data[i], p->data[i], at == old_ids->data.end() ? std::nan("") : old_p->data[k]});
  }
  return out;
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
  return model + " ends at position " + with_thousands(static_cast<long long>(positions) - 1) + ": move left.";
}

}  // namespace helix::app
