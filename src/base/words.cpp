#include "base/words.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "base/decimal.h"
#include "base/text.h"

namespace helix {

namespace {

using Catalog = std::map<std::string, std::string, std::less<>>;

Expected<void> read_words(std::string_view text, Catalog& catalog) {
  std::string study;
  std::string* sentence = nullptr;
  std::size_t number = 0;
  for (const std::string& line : split(text, '\n')) {
    ++number;
    if (line.starts_with("## ")) {
      if (study.empty()) return Error{"Line " + std::to_string(number) + " of the words belongs to no study."};
      sentence = &catalog[study + "/" + line.substr(3)];
      sentence->clear();
    } else if (line.starts_with("# ")) {
      study = line.substr(2), sentence = nullptr;
    } else if (!line.empty()) {
      if (!sentence) return Error{"Line " + std::to_string(number) + " of the words belongs to no sentence."};
      *sentence += (sentence->empty() ? "" : " ") + line;
    }
  }
  return {};
}

Catalog& catalog() {
  static Catalog all;
  return all;
}

/// The sentence of that id, or the id where the words lack it.
const std::string& sentence_of(const Words& say, std::string_view id) {
  static std::set<std::string, std::less<>> missing;
  const std::string* found = say.find(id);
  return found ? *found : *missing.emplace(id).first;
}

const Slot* slot_of(std::string_view name, std::initializer_list<Slot> slots) {
  for (const Slot& slot : slots)
    if (slot.name == name) return &slot;
  return nullptr;
}

/// The place of the brace that closes the one at `open`.
std::size_t closing(std::string_view text, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    depth += text[i] == '{' ? 1 : text[i] == '}' ? -1 : 0;
    if (depth == 0) return i;
  }
  return std::string_view::npos;
}

constexpr Words kLabels{"labels"}, kNumbers{"studies"};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string filled(std::string_view text, std::initializer_list<Slot> slots) {
  std::string out;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t open = text.find('{', from), end = open == text.npos ? text.npos : closing(text, open);
    if (end == text.npos) return out.append(text.substr(from));
    out.append(text.substr(from, open - from));
    const std::string_view inner = text.substr(open + 1, end - open - 1);
    const std::size_t first = inner.find('|'), second = first == inner.npos ? inner.npos : inner.rfind('|');
    if (const Slot* slot = slot_of(inner.substr(0, first), slots); !slot)
      out.append(text.substr(open, end - open + 1));
    else if (first == inner.npos)
      out.append(slot->text);
    else
      out.append(
          filled(slot->text == "1" ? inner.substr(first + 1, second - first - 1) : inner.substr(second + 1), slots));
    from = end + 1;
  }
  return out;
}

/// The bytes of what may stand between two digits of a number there: a point, a comma, the narrow space between thousands.
std::size_t mark_at(std::string_view text) {
  constexpr std::string_view space = "\u202f";
  return text.starts_with('.') || text.starts_with(',') ? 1 : text.starts_with(space) ? space.size() : 0;
}

/// Where the number ends that begins there.
std::size_t end_of_number(std::string_view text, std::size_t at) {
  for (;;) {
    while (at < text.size() && is_digit(text[at])) ++at;
    const std::size_t mark = mark_at(text.substr(at));
    if (!mark || at + mark >= text.size() || !is_digit(text[at + mark])) return at;
    at += mark;
  }
}

/// Where the number or the quoted text ends that begins there; `at` itself where none does.
std::size_t end_of_value(std::string_view text, std::size_t at) {
  constexpr std::string_view open = "“", close = "”";
  if (is_digit(text[at])) return end_of_number(text, at);
  if (!text.substr(at).starts_with(open)) return at;
  const std::size_t end = text.find(close, at);
  return end == text.npos ? at : end + close.size();
}

/// The text with {1}, {2} in the places of its numbers and of what it quotes, which are added to `values`.
std::string without_values(std::string_view text, std::vector<std::string_view>& values) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t end = end_of_value(text, i);
    if (end == i) {
      out += text[i++];
      continue;
    }
    values.push_back(text.substr(i, end - i));
    out += "{" + std::to_string(values.size()) + "}";
    i = end;
  }
  return out;
}

}  // namespace

std::optional<std::string> label_in_words(std::string_view english) {
  if (std::ranges::none_of(english, [](unsigned char c) { return std::isalpha(c); })) return std::nullopt;
  if (!kLabels.any()) return std::nullopt;  // English
  if (const std::string* found = kLabels.find(english)) return *found;
  std::vector<std::string_view> values;
  const std::string* found = kLabels.find(without_values(english, values));
  if (!found || values.empty()) return std::nullopt;
  std::string out = *found;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::string place = "{" + std::to_string(i + 1) + "}";
    if (const std::size_t at = out.find(place); at != out.npos) out.replace(at, place.size(), values[i]);
  }
  return out;
}

std::string in_words(std::string_view english) { return label_in_words(english).value_or(std::string(english)); }

bool Words::any() const {
  const std::string prefix = std::string(study_) + "/";
  const auto first = catalog().lower_bound(prefix);
  return first != catalog().end() && first->first.starts_with(prefix);
}

const std::string* Words::find(std::string_view id) const {
  const auto found = catalog().find(std::string(study_) + "/" + std::string(id));
  return found == catalog().end() ? nullptr : &found->second;
}

const std::string& Words::operator()(std::string_view id) const { return sentence_of(*this, id); }

std::string Words::operator()(std::string_view id, std::initializer_list<Slot> slots) const {
  return filled(sentence_of(*this, id), slots);
}

std::string sentences(std::initializer_list<std::string> parts) {
  std::string out;
  for (const std::string& part : parts)
    if (!part.empty()) out += (out.empty() ? "" : " ") + part;
  return out;
}

std::vector<std::string> ids_of_words(std::string_view study) {
  std::vector<std::string> ids;
  const std::string prefix = std::string(study) + "/";
  for (auto it = catalog().lower_bound(prefix); it != catalog().end() && it->first.starts_with(prefix); ++it)
    ids.push_back(it->first.substr(prefix.size()));
  return ids;
}

void forget_words() {
  catalog().clear();
  set_decimal_mark('.');
}

Expected<void> load_words(std::string_view text) {
  Catalog read;
  if (const auto done = read_words(text, read); !done) return done;
  for (auto& [id, sentence] : read) catalog().insert_or_assign(id, std::move(sentence));
  const std::string* mark = kNumbers.find("decimal_mark");
  set_decimal_mark(mark && *mark == "," ? ',' : '.');
  return {};
}

}  // namespace helix
