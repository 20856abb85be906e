// What every study says about odd models: no sentence, panel, table or claim shows a number that is not one, what is undefined
// has a reason, and every number of a title is a number of the result.
#include <regex>
#include <set>

#include "base/text.h"
#include "figure/table.h"
#include "studies/registry_view.h"
#include "tests/figure/drawings.h"
#include "tests/odd_models.h"

namespace odd_models_test {

using namespace helix;
using namespace helix::testing;
using protocol::Result;

namespace {

constexpr std::size_t kMostCells = 400;  // of a table that are looked at

/// Settings besides the defaults, by study.
const std::vector<std::pair<std::string, Given>>& settings() {
  static const std::vector<std::pair<std::string, Given>> all{
      {"position_cosine", {{"centre", "true"}}},
      {"position_cosine", {{"of", "tokens"}}},
      {"position_cosine", {{"of", "sum"}}},
      {"position_cosine", {{"first", "0"}, {"last", "1"}, {"centre", "true"}}},
      {"position_dimension", {{"dimensions", ""}}},
      {"position_helix", {{"first", "0"}}},
      {"position_helix", {{"first", "0"}, {"plane", "8,7"}}},
      {"position_helix", {{"first", "0"}, {"plane", "1,1"}}},
      {"position_helix", {{"first", "1"}, {"last", "1"}}},
      {"position_helix", {{"first", "0"}, {"fit_first", "0"}, {"fit_last", "1"}}},
      {"position_helix", {{"first", "0"}, {"centre", "false"}}},
      {"position_norms", {{"of", "wte"}}},
      {"position_norms", {{"of", "sum"}}},
      {"position_vectors", {{"centre", "false"}}},
      {"position_vectors", {{"sorted", "true"}, {"count", "12"}}},
      {"spectrum", {{"centre", "true"}}},
      {"spectrum", {{"matrix", "q"}}},
      {"subspace_capture", {{"centre", "true"}}},
      {"subspace_capture", {{"matrix", "q"}, {"gain", "true"}}},
      {"subspace_overlap", {{"a", "attention"}, {"b", "tables"}}},
      {"token_cloud", {{"centre", "false"}, {"find", "e"}}},
  };
  return all;
}

/// Whether a text says "inf", or has a minus before a zero.
bool says_odd(const std::string& text) {
  static const std::regex odd("(^|[^A-Za-z])inf([^A-Za-z]|$)|(^|[^0-9A-Za-z.])(-|−)0(\\.0*)?([^0-9.]|$)");
  const auto has = [&](std::string_view part) { return text.find(part) != std::string::npos; };
  if (!has("inf") && !has("-0") && !has("−0")) return false;  // the expression takes long, and texts are many
  return std::regex_search(text, odd);
}

void check_words(const std::string& text) {
  INFO(text);
  CHECK(!says_nan(text));
  CHECK(!says_odd(text));
}

void check_number(const figure::Number& n) {
  check_words(n.number);
  for (const std::string& line : n.lines) check_words(line);
}

void check_figure(const figure::Figure& f) {
  for (const std::string& text : {f.title, f.subtitle, f.summary}) check_words(text);
  check_number(f.lead);
  for (const figure::Note& note : f.notes) check_words(note.text);
  for (const figure::Panel& panel : f.panels) {
    check_words(panel.title);
    if (const auto* number = std::get_if<figure::Number>(&panel.content)) check_number(*number);
    if (const auto* space = std::get_if<figure::Space>(&panel.content))
      for (const auto& axis : space->axes) check_words(axis.note);
  }
  for (const figure::Table& table : f.tables)
    for (const auto& column : table.columns)
      for (std::size_t i = 0; i < std::min(figure::row_count(table), kMostCells); ++i)
        if (column.texts.empty()) check_words(figure::cell(column, i));
}

/// Every number that a title may show: scalars, parameters, sizes, short lists.
std::vector<double> numbers_of(const Result& result) {
  std::vector<double> out{90, 100};  // "90 % of the variance"
  for (const protocol::Scalar& s : result.scalars) out.push_back(s.value);
  for (const auto& [key, text] : result.params)
    for (const std::string& part : split(text, ','))
      if (const auto value = parse_real(part)) out.push_back(*value);
  for (const protocol::Array& a : result.arrays) {
    for (const std::size_t extent : a.shape)  // entries, and steps from one to the next
      out.insert(out.end(), {static_cast<double>(extent), static_cast<double>(extent) - 1});
    out.push_back(static_cast<double>(a.first));
    out.push_back(static_cast<double>(std::ranges::count_if(a.data, [](double x) { return std::isfinite(x); })));
    if (a.data.size() <= 64) out.insert(out.end(), a.data.begin(), a.data.end());
  }
  return out;
}

/// Powers of ten are left out: "2.1·10⁻⁷", "10⁻¹³⁷".
std::string without_powers(const std::string& title) {
  static const std::regex power("([0-9.]+·)?10(⁻|⁰|¹|²|³|⁴|⁵|⁶|⁷|⁸|⁹)+");
  return std::regex_replace(title, power, "…");
}

/// The share that one number of the result is of another.
bool is_share(double shown, double unit, const Result& result) {
  for (const protocol::Scalar& a : result.scalars)
    for (const protocol::Scalar& b : result.scalars)
      if (std::abs(100 * a.value / b.value - shown) <= 0.5000001 * unit) return true;
  return false;
}

void check_title(const std::string& whole, const Result& result) {
  const std::string title = without_powers(whole);
  static const std::regex number("(^|[^A-Za-z0-9_])(-|−)?([0-9][0-9,]*(\\.[0-9]+)?)( %)?");
  const std::vector<double> known = numbers_of(result);
  for (auto at = std::sregex_iterator(title.begin(), title.end(), number); at != std::sregex_iterator(); ++at) {
    std::string digits = (*at)[3].str();
    std::erase(digits, ',');
    const std::size_t point = digits.find('.');
    const double unit =
        point == std::string::npos ? 1 : std::pow(10.0, -static_cast<double>(digits.size() - point - 1));
    const double shown = std::stod(digits), factor = (*at)[5].matched ? 100 : 1;
    INFO(title << ": " << digits);
    const bool found = std::ranges::any_of(known, [&](double x) {
      return std::abs(std::abs(x) * factor - shown) <= 0.5000001 * unit ||
             std::abs(std::abs(x) - shown) <= 0.5000001 * unit;
    });
    CHECK((found || (factor == 100 && is_share(shown, unit, result))));
  }
}

void check(const studies::ComputeStudy& study, const OddModel& model, const Given& values) {
  ParamValues params = defaults(study.schema);
  std::string setting;
  for (const auto& [key, text] : values) {
    REQUIRE(set_value(study.schema, params, key, text, true));
    setting += key + "=" + text + " ";
  }
  INFO(study.schema.id << " " << setting << "on " << model.name);
  studies::Inputs inputs = model.inputs;
  inputs.memory = std::make_shared<std::shared_ptr<void>>();  // each study has one of its own
  const auto result = run_to_end(study.run(params, inputs));
  if (!result) {
    check_sentence(result.error().sentence);
    check_words(result.error().sentence);
    return;
  }
  for (const protocol::Scalar& s : result->scalars) {
    INFO(s.name);
    CHECK((!std::isnan(s.value) || !s.note.empty()));
    check_words(s.note);
  }
  for (const protocol::Claim& claim : result->claims) {
    CHECK((!claim.here || std::isfinite(*claim.here)));
    check_words(claim.convention);
  }
  for (const std::string& note : result->notes) check_words(note);
  const studies::ViewStudy& view = *studies::find_view_study(study.schema.id);
  const figure::Figure f = view.view(*result, params);
  check_figure(f);
  check_title(f.title, *result);
  check_sane(drawn(f, 1280, 700, ViewState()));
  for (const char* axis : {"position", "direction", "dimension", "component", "lag", "token", "row", "bin"}) {
    ViewState state;
    state.focus = {{axis, 1}};
    const figure::Reading r = view.reading(*result, params, state);
    check_words(r.title);
    for (const std::string& line : r.lines) check_words(line);
  }
}

}  // namespace

/// The table of claims runs all other studies, which takes as long as all of them: what is odd about the others changes no
/// other row than it changes in the studies themselves.
bool holds_claims_against(const OddModel& model) {
  static const std::set<std::string> held{"noise", "zero positions", "numbers of 1e4", "one position"};
  return held.contains(model.name);
}

TEST_CASE("no study says a number that is none, on any odd model", "[odd]") {
  const studies::Known nothing_known{[](const std::string&) { return std::optional<studies::ModelSize>(); }};
  std::set<std::string> once;  // studies that read no weights say the same on all
  for (const OddModel& model : odd_models())
    for (const studies::ComputeStudy& study : studies::compute_studies()) {
      const bool no_weights = study.needs(defaults(study.schema), nothing_known).empty();
      if (study.schema.id == "claims" && !holds_claims_against(model)) continue;
      if (no_weights && !once.insert(study.schema.id).second) continue;
      check(study, model, {});
      for (const auto& [id, values] : settings())
        if (id == study.schema.id) check(study, model, values);
    }
}

}  // namespace odd_models_test
