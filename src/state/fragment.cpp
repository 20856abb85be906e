#include "state/fragment.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "state/page_keys.h"
#include "state/permalink.h"
#include "state/subject_keys.h"
#include "state/view_keys.h"

namespace helix::state {
namespace {

/// A parameter by the name it has in its study.
KeyOutcome read_param(Applied& into, const StudySchema& study, const std::string& name, const std::string& value) {
  const ParamSpec* spec = study.find(name);
  if (!spec) return {false, ""};
  if (const auto set = set_value(study, into.state.params, name, value, false); !set) {
    const std::string& sentence = set.error().sentence;
    return {true, sentence.substr(0, sentence.size() - 1)};
  }
  if (!canonical(*spec, value, true))
    into.notices.push_back(study.id + "." + name + " was " + in_quotes(value) + ", outside its range; using " +
                           *find_value(into.state.params, name) + ".");
  return {};
}

KeyOutcome read_key(Applied& into, const StudySchema& study, Form form, const std::string& key,
                    const std::string& value) {
  const std::string prefix = study.id + ".";
  KeyOutcome outcome{false, ""};
  if (key.starts_with(prefix)) outcome = read_param(into, study, key.substr(prefix.size()), value);
  if (!outcome.known) outcome = read_page_key(into.state, key, value);
  if (!outcome.known) outcome = read_subject_key(into.state.subject, key, value);
  if (!outcome.known) outcome = read_view_key(into.state.view, key, value);
  if (!outcome.known && form == Form::fragment) outcome = read_param(into, study, key, value);
  return outcome;
}

constexpr std::size_t kNamed = 3, kMostNotices = 5;

/// One sentence for any number of keys.
std::string about_unknown(std::vector<std::string> keys) {
  const bool one = keys.size() == 1;
  const std::size_t more = keys.size() > kNamed ? keys.size() - kNamed : 0;
  keys.resize(keys.size() - more);
  if (more) keys.push_back(with_thousands(static_cast<long long>(more)) + " more");
  const std::string last = one ? "" : " and " + keys.back();
  if (!one) keys.pop_back();
  return "This page does not know " + join(keys, ", ") + last + " and has left " + (one ? "it" : "them") +
         " in the link unused.";
}

/// Reads and removes the key that says what a fragment starts from.
Expected<void> take_from(Pairs& pairs, From& from) {
  const std::string* text = first_value(pairs, "from");
  if (!text) return {};
  const int at = index_of(kFromNames, *text);
  if (at < 0) return Error{"from needs start, text or here, not " + in_quotes(*text)};
  from = static_cast<From>(at);
  std::erase_if(pairs, [](const auto& pair) { return pair.first == "from"; });
  return {};
}

/// The state that a fragment starts from.
AppState started(AppState state, From from, const std::vector<StudySchema>& schemas) {
  if (from == From::here) return state;
  if (const StudySchema* study = find_study(schemas, state.study)) state.params = defaults(*study);
  if (from == From::text)
    state.subject.edits.clear();
  else
    state.subject = clean_subject(state.subject);
  state.predict = false;
  state.compare = Compare::none, state.against.clear();
  return state;
}

void shorten(std::vector<std::string>& notices) {
  if (notices.size() <= kMostNotices) return;
  const std::size_t more = notices.size() - (kMostNotices - 1);
  notices.resize(kMostNotices - 1);
  notices.push_back(with_thousands(static_cast<long long>(more)) + " more parts of the link have such problems.");
}

}  // namespace

bool is_lesson_step(std::string_view text) {
  const std::size_t slash = text.find('/');
  const std::string_view name = text.substr(0, slash);
  const auto step = slash == text.npos ? std::nullopt : parse_int(text.substr(slash + 1));
  return !name.empty() && name.size() <= kLongestLesson && step && *step >= 1 && *step <= kMostSteps &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == name.npos;
}

const StudySchema* find_study(const std::vector<StudySchema>& schemas, std::string_view id) {
  const auto it = std::find_if(schemas.begin(), schemas.end(), [&](const StudySchema& s) { return s.id == id; });
  return it == schemas.end() ? nullptr : &*it;
}

std::string version_problem(const Pairs& pairs) {
  const std::string* text = first_value(pairs, "v");
  if (!text) return {};
  const auto version = parse_int(*text);
  if (!version || *version < 1) return "its version " + in_quotes(*text) + " is not a number";
  if (*version > kLinkVersion)
    return "it was made by a newer version of this page (v=" + *text + "); reload to get that";
  return {};
}

Expected<Applied> apply_pairs(AppState state, const Pairs& pairs, Form form, const std::vector<StudySchema>& schemas) {
  if (const std::string problem = version_problem(pairs); !problem.empty()) return Error{problem};
  const std::string* named = first_value(pairs, "study");
  const StudySchema* study = find_study(schemas, named ? *named : state.study);
  if (!study) return Error{"there is no study " + in_quotes(named ? *named : state.study)};
  Applied out{std::move(state), {}};
  if (out.state.study != study->id) {
    out.state.study = study->id;
    out.state.params = defaults(*study);
    out.state.view = ViewState();
  }
  make_room(out.state.subject, pairs);
  std::vector<std::string> unknown;
  for (const auto& [key, value] : pairs) {
    if (form == Form::link && key == "hide") {  // a later version can hide more
      if (const std::string others = unknown_parts(value); !others.empty()) {
        out.state.unknown.emplace_back(key, others);
        unknown.push_back(in_quotes(key + "=" + others));
      }
      hide_known(out.state.page, value);
      continue;
    }
    const KeyOutcome outcome = read_key(out, *study, form, key, value);
    if (!outcome.problem.empty()) return Error{outcome.problem};
    if (outcome.known) continue;
    if (form == Form::fragment) return Error{"there is no parameter or link key " + in_quotes(key)};
    out.state.unknown.emplace_back(key, value);
    unknown.push_back(in_quotes(key));
  }
  if (const std::size_t repeated = out.state.subject.edits.size() + out.state.unknown.size(); repeated > kMostRepeated)
    return Error{"it has " + with_thousands(static_cast<long long>(repeated)) +
                 " edits and unknown parts, and at most " + with_thousands(static_cast<long long>(kMostRepeated)) +
                 " are read"};
  if (!unknown.empty()) out.notices.push_back(about_unknown(std::move(unknown)));
  if (first_value(pairs, "against"))
    if (const auto other = against_state(out.state, schemas))
      for (const std::string& notice : other->notices) out.notices.push_back("The other side: " + notice);
  shorten(out.notices);
  return out;
}

Expected<Applied> apply_fragment(AppState state, std::string_view fragment, const std::vector<StudySchema>& schemas,
                                 From from) {
  const auto told = [&](const std::string& why) {
    return Error{"The part of a link " + in_quotes(fragment) + " could not be read: " + why + "."};
  };
  if (fragment.starts_with('#')) fragment.remove_prefix(1);
  auto pairs = split_link(fragment);
  if (!pairs) return told(pairs.error().sentence);
  if (const auto own = take_from(*pairs, from); !own) return told(own.error().sentence);
  auto applied = apply_pairs(started(std::move(state), from, schemas), *pairs, Form::fragment, schemas);
  if (!applied) return told(applied.error().sentence);
  return applied;
}

Expected<Applied> against_state(const AppState& state, const std::vector<StudySchema>& schemas) {
  AppState alone = state;
  alone.compare = Compare::none, alone.against.clear();
  auto other = apply_fragment(alone, state.against, schemas);
  if (other && (other->state.compare != alone.compare || other->state.against != alone.against))
    return Error{"The other side of a comparison cannot be a comparison itself: " + in_quotes(state.against) + "."};
  return other;
}

ParamValues without(ParamValues values, std::string_view fragment, const StudySchema& schema) {
  const auto pairs = split_link(fragment);
  const std::string prefix = schema.id + ".";
  if (pairs)
    for (auto [key, text] : *pairs) {
      if (key.starts_with(prefix)) key.erase(0, prefix.size());
      for (auto& [name, value] : values)
        if (name == key) value = schema.find(key)->default_text;
    }
  return values;
}

}  // namespace helix::state
