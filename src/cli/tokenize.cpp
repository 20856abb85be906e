#include <algorithm>

#include "base/text.h"
#include "base/utf8.h"
#include "checkpoint/read_file.h"
#include "cli/cli.h"
#include "protocol/json.h"
#include "tokenizer/open_tokenizer.h"

namespace helix::cli {
namespace {

using protocol::Json;
using Ids = std::vector<std::int32_t>;

constexpr std::uint64_t kMaxTextBytes = 1'000'000'000;

Expected<Ids> parse_ids(const std::string& list) {
  Ids ids;
  for (const std::string& word : split(list, ',')) {
    const auto id = parse_int(word);
    if (!id) return Error{"--decode takes token ids with commas between them, not " + in_quotes(word) + "."};
    ids.push_back(*id);
  }
  return ids;
}

Expected<void> check_ids(const Ids& ids, const tokenizer::Tokenizer& tokenizer) {
  for (const std::int32_t id : ids) {
    if (tokenizer.bytes(id).empty())
      return Error{"The vocabulary has no token " + std::to_string(id) + "; its ids go from 0 to " +
                   std::to_string(tokenizer.size() - 1) + "."};
  }
  return {};
}

Json document(const tokenizer::Tokenizer& tokenizer, const Ids& ids) {
  Json tokens = Json::array();
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const std::string_view bytes = tokenizer.bytes(ids[i]);
    tokens.push_back(
        {{"id", ids[i]}, {"position", i}, {"text", is_utf8(bytes) ? Json(bytes) : Json()}, {"bytes", to_hex(bytes)}});
  }
  return {{"count", ids.size()}, {"tokens", std::move(tokens)}};
}

std::string table(const tokenizer::Tokenizer& tokenizer, const Ids& ids) {
  std::string out;
  for (const std::int32_t id : ids) {
    const std::string number = std::to_string(id);
    out += std::string(7 - std::min<std::size_t>(number.size(), 7), ' ') + number + "  “" +
           shown_bytes(tokenizer.bytes(id)) + "”\n";
  }
  return out + with_thousands(static_cast<long long>(ids.size())) + (ids.size() == 1 ? " token\n" : " tokens\n");
}

}  // namespace

Outcome tokenize(const Options& options) {
  if (options.get("model").empty()) return misuse("tokenize needs --model PATH.");
  const bool text = !options.all("text").empty();  // an empty text is one, too
  const bool file = !options.all("text-file").empty();
  const bool decode = !options.all("decode").empty();
  if (text + file + decode != 1) return misuse("tokenize needs one of --text T, --text-file F and --decode 1,2,3.");
  auto ids = decode ? parse_ids(options.get("decode")) : Ids();
  if (!ids) return misuse(ids.error().sentence);
  const auto tokenizer = tokenizer::open_tokenizer(options.get("model"));
  if (!tokenizer) return failure(tokenizer.error().sentence);

  if (decode) {
    if (auto checked = check_ids(*ids, *tokenizer); !checked) return failure(checked.error().sentence);
  } else if (file) {
    const auto read = checkpoint::read_text_file(options.get("text-file"), kMaxTextBytes);
    if (!read) return failure(read.error().sentence);
    *ids = tokenizer->encode(*read);
  } else {
    *ids = tokenizer->encode(options.get("text"));
  }
  if (options.has("json")) return {protocol::dump(document(*tokenizer, *ids)) + "\n", "", 0};
  return {decode ? tokenizer->decode(*ids) + "\n" : table(*tokenizer, *ids), "", 0};
}

}  // namespace helix::cli
