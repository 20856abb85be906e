#include "state/permalink.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

#include "base/text.h"
#include "base/utf8.h"

namespace helix::state {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

const StudySchema* find_study(const std::vector<StudySchema>& schemas, std::string_view id) {
  const auto it = std::find_if(schemas.begin(), schemas.end(), [&](const StudySchema& s) { return s.id == id; });
  return it == schemas.end() ? nullptr : &*it;
}

template <std::size_t N>
int index_of(const std::array<std::string_view, N>& names, std::string_view name) {
  for (std::size_t i = 0; i < N; ++i)
    if (names[i] == name) return static_cast<int>(i);
  return -1;
}

double rounded(double value, double steps) { return std::round(value * steps) / steps; }

// Angles to a tenth of a degree, zoom and shift to a thousandth: finer than a hand can place them.
std::string camera_text(const Camera& c) {
  return to_text(std::fmod(rounded(c.azimuth, 10), 360)) + "," + to_text(rounded(c.elevation, 10)) + "," +
         to_text(rounded(c.zoom, 1000)) + "," + to_text(rounded(c.x, 1000)) + "," + to_text(rounded(c.y, 1000));
}

std::optional<Camera> read_camera(std::string_view text) {
  const auto parts = split(text, ',');
  if (parts.size() != 5) return std::nullopt;
  double v[5];
  for (std::size_t i = 0; i < 5; ++i) {
    const auto number = parse_real(parts[i]);
    if (!number) return std::nullopt;
    v[i] = *number;
  }
  Camera c{std::fmod(v[0], 360.0), std::clamp(v[1], -90.0, 90.0), std::clamp(v[2], 0.1, 20.0),
           std::clamp(v[3], -5.0, 5.0), std::clamp(v[4], -5.0, 5.0)};
  if (c.azimuth < 0) c.azimuth += 360;
  return c;
}

std::optional<std::array<int, 3>> read_axes(std::string_view text) {
  const auto parts = split(text, ',');
  if (parts.size() != 3) return std::nullopt;
  std::array<int, 3> axes{};
  for (std::size_t i = 0; i < 3; ++i) {
    const auto n = parse_int(parts[i]);
    if (!n || *n < 1 || *n > 8) return std::nullopt;
    axes[i] = *n;
  }
  if (axes[0] == axes[1] || axes[0] == axes[2] || axes[1] == axes[2]) return std::nullopt;
  return axes;
}

/// Whole numbers of at least 0 between separators.
std::optional<std::vector<int>> read_counts(std::string_view text, char separator, std::size_t count) {
  std::vector<int> numbers;
  for (const std::string& part : split(text, separator)) {
    const auto n = parse_int(part);
    if (!n || *n < 0) return std::nullopt;
    numbers.push_back(*n);
  }
  return numbers.size() == count ? std::optional(numbers) : std::nullopt;
}

// "position:313", "item:2", "cell:7:3" (query, key), or "cell:4.11:7:3" where layer and head are no parameters.
std::optional<Focus> read_focus(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const std::string_view kind = text.substr(0, colon);
  std::string_view rest = text.substr(colon + 1);
  Focus focus;
  focus.locked = true;
  if (kind == "position" || kind == "item") {
    const auto one = read_counts(rest, ':', 1);
    if (!one) return std::nullopt;
    (kind == "item" ? focus.item : focus.position) = one->front();
    return focus;
  }
  if (kind != "cell") return std::nullopt;
  if (const std::size_t end = rest.find(':'); rest.substr(0, end).find('.') != std::string_view::npos) {
    const auto which = read_counts(rest.substr(0, end), '.', 2);
    if (!which || end == std::string_view::npos) return std::nullopt;
    focus.layer = which->front(), focus.head = which->back();
    rest.remove_prefix(end + 1);
  }
  const auto cell = read_counts(rest, ':', 2);
  if (!cell) return std::nullopt;
  focus.query = cell->front(), focus.key = cell->back();
  return focus;
}

std::string focus_text(const Focus& f) {
  if (f.is_cell())
    return "cell:" + (f.is_head() ? std::to_string(f.layer) + "." + std::to_string(f.head) + ":" : "") +
           std::to_string(f.query) + ":" + std::to_string(f.key);
  return f.item >= 0 ? "item:" + std::to_string(f.item) : "position:" + std::to_string(f.position);
}

std::optional<Region> read_region(std::string_view text) {
  const auto n = read_counts(text, ',', 4);
  if (!n || (*n)[0] > (*n)[1] || (*n)[2] > (*n)[3]) return std::nullopt;
  return Region{(*n)[0], (*n)[1], (*n)[2], (*n)[3]};
}

std::optional<std::vector<std::int32_t>> read_tokens(std::string_view text) {
  std::vector<std::int32_t> tokens;
  for (const std::string& part : split(text, ',')) {
    const auto id = parse_int(part);
    if (!id || *id < 0) return std::nullopt;
    tokens.push_back(*id);
  }
  return tokens;
}

Edit read_edit(std::string_view text) {
  const bool off = text.starts_with('!');
  return {std::string(text.substr(off ? 1 : 0)), !off};
}

/// Thrown-away reason for one key; empty when it was understood.
struct KeyOutcome {
  bool known = true;
  std::string problem;
};

KeyOutcome read_view_key(AppState& state, const std::string& key, const std::string& value) {
  const auto take = [](auto& into, const auto& parsed, std::string problem) {
    if (!parsed) return KeyOutcome{true, std::move(problem)};
    into = *parsed;
    return KeyOutcome{};
  };
  if (key == "view.camera")
    return take(state.view.camera, read_camera(value), "view.camera needs five numbers, not " + in_quotes(value));
  if (key == "view.axes")
    return take(state.view.axes, read_axes(value),
                "view.axes needs three different components from 1 to 8, not " + in_quotes(value));
  if (key == "focus")
    return take(state.view.focus, read_focus(value),
                "focus needs the form position:N, cell:QUERY:KEY or item:N, not " + in_quotes(value));
  if (key == "view.region")
    return take(state.view.region, read_region(value),
                "view.region needs first and last query, first and last key, not " + in_quotes(value));
  if (key == "view.map" || key == "theme") {
    const bool theme = key == "theme";
    const int i = theme ? index_of(kThemeNames, value) : index_of(kMapNames, value);
    if (i < 0) return {true, key + " does not know " + in_quotes(value)};
    if (theme)
      state.theme = static_cast<Theme>(i);
    else
      state.view.map = static_cast<ColourMap>(i);
    return {};
  }
  return {false, ""};
}

KeyOutcome read_subject_key(Subject& subject, const std::string& key, const std::string& value) {
  if (key == "prompt") {
    subject.prompt = value;
  } else if (key == "edit") {
    subject.edits.push_back(read_edit(value));
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
    if (value != "last") return {true, "keep needs last, not " + in_quotes(value)};
    subject.keep_last = true;
  } else {
    return {false, ""};
  }
  return {};
}

void write_subject(const Subject& subject, const std::function<void(const std::string&, std::string_view)>& add) {
  for (const Edit& edit : subject.edits) add("edit", (edit.on ? "" : "!") + edit.spec);
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

Decoded fall_back(const std::vector<StudySchema>& schemas, std::string why) {
  return {
      default_state(schemas), {"This link could not be read: " + std::move(why) + ". Showing the default view."}, true};
}

Expected<Pairs> split_link(std::string_view hash) {
  Pairs pairs;
  for (const std::string& part : split(hash, '&')) {
    if (part.empty()) continue;
    const std::size_t at = part.find('=');
    if (at == std::string::npos || at == 0) return Error{in_quotes(part) + " is not of the form key=value"};
    const auto key = percent_decode(std::string_view(part).substr(0, at));
    const auto value = percent_decode(std::string_view(part).substr(at + 1));
    if (!key) return key.error();
    if (!value) return value.error();
    pairs.emplace_back(*key, *value);
  }
  return pairs;
}

/// The value of a key that may stand once; nothing when absent.
const std::string* first_value(const Pairs& pairs, std::string_view key) {
  const auto it = std::find_if(pairs.begin(), pairs.end(), [&](const auto& p) { return p.first == key; });
  return it == pairs.end() ? nullptr : &it->second;
}

std::string version_problem(const Pairs& pairs) {
  const std::string* text = first_value(pairs, "v");
  if (!text) return "it has no version (v=1)";
  const auto version = parse_int(*text);
  if (!version || *version < 1) return "its version " + in_quotes(*text) + " is not a number";
  if (*version > kLinkVersion)
    return "it was made by a newer version of this page (v=" + *text + "); reload to get that";
  return {};
}

}  // namespace

AppState default_state(const std::vector<StudySchema>& schemas) {
  AppState state;
  if (schemas.empty()) return state;
  state.study = schemas.front().id;
  state.params = defaults(schemas.front());
  return state;
}

std::string encode(const AppState& state, const std::vector<StudySchema>& schemas) {
  std::string out = "#v=" + std::to_string(kLinkVersion) + "&model=" + percent_encode(state.model) +
                    "&study=" + percent_encode(state.study);
  const auto add = [&](const std::string& key, std::string_view value) {
    out += "&" + percent_encode(key) + "=" + percent_encode(value);
  };
  if (const StudySchema* study = find_study(schemas, state.study))
    for (const auto& [key, value] : state.params)
      if (const ParamSpec* spec = study->find(key); spec && value != spec->default_text)
        add(study->id + "." + key, value);
  write_subject(state.subject, add);
  const ViewState fresh;
  if (camera_text(state.view.camera) != camera_text(fresh.camera)) add("view.camera", camera_text(state.view.camera));
  if (const auto& a = state.view.axes; a != fresh.axes)
    add("view.axes", std::to_string(a[0]) + "," + std::to_string(a[1]) + "," + std::to_string(a[2]));
  if (state.view.map != fresh.map) add("view.map", kMapNames[static_cast<std::size_t>(state.view.map)]);
  if (const Region& r = state.view.region; !r.whole())
    add("view.region", std::to_string(r.first_query) + "," + std::to_string(r.last_query) + "," +
                           std::to_string(r.first_key) + "," + std::to_string(r.last_key));
  if (state.view.focus.locked) add("focus", focus_text(state.view.focus));
  if (state.theme != Theme::system) add("theme", kThemeNames[static_cast<std::size_t>(state.theme)]);
  for (const auto& [key, value] : state.unknown) add(key, value);
  return out;
}

Decoded decode(std::string_view hash, const std::vector<StudySchema>& schemas) {
  if (hash.starts_with('#')) hash.remove_prefix(1);
  if (hash.empty()) return {default_state(schemas), {}, false};
  const auto pairs = split_link(hash);
  if (!pairs) return fall_back(schemas, pairs.error().sentence);
  if (const std::string problem = version_problem(*pairs); !problem.empty()) return fall_back(schemas, problem);

  Decoded out{default_state(schemas), {}, false};
  const std::string* study_id = first_value(*pairs, "study");
  const StudySchema* study = find_study(schemas, study_id ? *study_id : out.state.study);
  if (!study) return fall_back(schemas, "there is no study " + in_quotes(*study_id));
  out.state.study = study->id;
  out.state.params = defaults(*study);

  for (const auto& [key, value] : *pairs) {
    if (key == "v" || key == "study") continue;
    if (key == "model") {
      out.state.model = value;
      continue;
    }
    if (const std::string prefix = study->id + "."; key.starts_with(prefix)) {
      const std::string name = key.substr(prefix.size());
      if (const ParamSpec* spec = study->find(name)) {
        const auto set = set_value(*study, out.state.params, name, value, false);
        if (!set) return fall_back(schemas, set.error().sentence.substr(0, set.error().sentence.size() - 1));
        if (!canonical(*spec, value, true))
          out.notices.push_back(key + " was " + in_quotes(value) + ", outside its range; using " +
                                *find_value(out.state.params, name) + ".");
        continue;
      }
    }
    KeyOutcome outcome = read_subject_key(out.state.subject, key, value);
    if (!outcome.known) outcome = read_view_key(out.state, key, value);
    if (!outcome.problem.empty()) return fall_back(schemas, outcome.problem);
    if (outcome.known) continue;
    out.state.unknown.emplace_back(key, value);
    out.notices.push_back("This page does not know " + in_quotes(key) + " and has left it in the link unused.");
  }
  return out;
}

std::string percent_encode(std::string_view text) {
  constexpr std::string_view plain = "-._~,:/!*";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool letter = (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z');
    if (letter || plain.find(c) != std::string_view::npos) {
      out += c;
    } else {
      constexpr char hex[] = "0123456789ABCDEF";
      out += '%', out += hex[byte >> 4], out += hex[byte & 15];
    }
  }
  return out;
}

namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

}  // namespace

Expected<std::string> percent_decode(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    const int high = i + 2 < text.size() ? hex_digit(text[i + 1]) : -1;
    const int low = i + 2 < text.size() ? hex_digit(text[i + 2]) : -1;
    if (high < 0 || low < 0) return Error{"the escape in " + in_quotes(text) + " is broken"};
    out += static_cast<char>(high * 16 + low);
    i += 2;
  }
  if (!is_utf8(out)) return Error{in_quotes(text) + " is not UTF-8 text"};
  return out;
}

}  // namespace helix::state
