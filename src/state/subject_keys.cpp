#include "state/subject_keys.h"

#include <optional>

#include "base/text.h"

namespace helix::state {
namespace {

std::optional<std::vector<std::int32_t>> read_tokens(std::string_view text) {
  std::vector<std::int32_t> tokens;
  for (const std::string& part : split(text, ',')) {
    const auto id = parse_int(part);
    if (!id || *id < 0) return std::nullopt;
    tokens.push_back(*id);
  }
  return tokens;
}

/// Nothing for an empty text: "edit=" alone means that there are no edits.
std::optional<Edit> read_edit(std::string_view text) {
  const bool off = text.starts_with('!');
  text.remove_prefix(off ? 1 : 0);
  if (text.empty()) return std::nullopt;
  return Edit{std::string(text), !off};
}

}  // namespace

void make_room(Subject& subject, const Pairs& pairs) {
  if (first_value(pairs, "edit")) subject.edits.clear();
  if (first_value(pairs, "prompt") && !first_value(pairs, "tokens")) subject.tokens.clear();
}

KeyOutcome read_subject_key(Subject& subject, const std::string& key, const std::string& value) {
  if (key == "prompt") {
    subject.prompt = value;
  } else if (key == "edit") {
    if (auto edit = read_edit(value)) subject.edits.push_back(std::move(*edit));
  } else if (key == "tokens") {
    const auto tokens = read_tokens(value);
    if (!tokens) return {true, "tokens needs ids separated by commas, not " + in_quotes(value)};
    subject.tokens = *tokens;
  } else if (key == "precision") {
    const int at = index_of(kPrecisionNames, value);
    if (at < 0) return {true, "precision needs f32 or q8, not " + in_quotes(value)};
    subject.precision = static_cast<Precision>(at);
  } else if (key == "bos") {
    const auto bos = parse_bool(value);
    if (!bos) return {true, "bos needs 0 or 1, not " + in_quotes(value)};
    subject.bos = *bos;
  } else if (key == "keep") {
    if (value != "last" && value != "all") return {true, "keep needs last or all, not " + in_quotes(value)};
    subject.keep_last = value == "last";
  } else {
    return {false, ""};
  }
  return {};
}

Subject clean_subject(const Subject& subject) {
  Subject clean;
  clean.precision = subject.precision;
  return clean;
}

void write_subject(const Subject& subject, const AddPair& add) {
  for (const Edit& edit : subject.edits)
    if (!edit.spec.empty()) add("edit", (edit.on ? "" : "!") + edit.spec);
  if (!subject.tokens.empty()) {
    std::vector<std::string> ids;
    for (const std::int32_t id : subject.tokens) ids.push_back(std::to_string(id));
    add("tokens", join(ids, ","));
  }
  if (subject.prompt != kDefaultPrompt) add("prompt", subject.prompt);
  if (subject.bos) add("bos", "1");
  if (subject.keep_last) add("keep", "last");
  if (subject.precision != Precision::f32)
    add("precision", kPrecisionNames[static_cast<std::size_t>(subject.precision)]);
}

}  // namespace helix::state
