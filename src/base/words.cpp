#include "base/words.h"

#include <map>
#include <set>

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

}  // namespace

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

Expected<void> load_words(std::string_view text) {
  Catalog read;
  if (const auto done = read_words(text, read); !done) return done;
  for (auto& [id, sentence] : read) catalog().insert_or_assign(id, std::move(sentence));
  return {};
}

}  // namespace helix
