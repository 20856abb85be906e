// run --against: two states of a study as one result.
#include "base/text.h"
#include "tests/cli/tiny_folder.h"
#include "tests/figure/xml_check.h"

namespace cli_compare_test {

using namespace helix;
using namespace helix::testing;
using namespace helix::cli::testing;
using cli::run;

namespace {

std::vector<std::string> attention(const TinyFolder& folder, const std::vector<std::string>& more) {
  std::vector<std::string> words{"run", "attention", "--model", folder.path(), "--prompt", "the he the", "--json"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

std::vector<double> pattern_of(const Json& json, const char* name = "pattern") {
  std::vector<double> numbers;
  for (const Json& x : json["arrays"][name]["data"]) numbers.push_back(protocol::to_number(x));
  return numbers;
}

}  // namespace

TEST_CASE("the difference of an attention pattern with and without positions, as numbers, table and picture",
          "[cli][compare]") {
  const TinyFolder folder;
  const auto with = pattern_of(json_of(run(attention(folder, {}))));
  const auto without = pattern_of(json_of(run(attention(folder, {"--edit", "zero_positions"}))));
  const Json json =
      json_of(run(attention(folder, {"--against", "edit=zero_positions", "--compare", "difference", "--svg",
                                     folder.at("d.svg"), "--csv", folder.at("tables"), "--npz", folder.at("d.npz")})));
  CHECK(json["difference"] == true);
  const auto difference = pattern_of(json, "change_pattern");
  CHECK(pattern_of(json) == with);
  CHECK(pattern_of(json, "against_pattern") == without);
  REQUIRE(difference.size() == with.size());
  double most = 0;
  for (std::size_t i = 0; i < with.size(); ++i) {
    CHECK(std::abs(difference[i] - (with[i] - without[i])) < 1e-6);
    most = std::max(most, std::abs(difference[i]));
  }
  CHECK(most > 1e-4);

  const std::string svg = folder.read("d.svg");
  CHECK(xml_problem(svg) == "");
  CHECK(svg.find("compare=difference") != std::string::npos);
  CHECK(svg.find("against=edit%3Dzero_positions") != std::string::npos);
  CHECK(folder.read("d.npz").starts_with("PK\x03\x04"));
  // The second row of the table has the second query's numbers.
  const auto cells = split(split(folder.read("tables/change_pattern.csv"), '\n')[2], ',');
  const std::size_t n = static_cast<std::size_t>(std::sqrt(static_cast<double>(with.size())));
  REQUIRE(cells.size() == n + 1);
  for (std::size_t key = 0; key + 1 < n; ++key)
    CHECK(std::abs(*parse_real(cells[key + 1]) - difference[n + key]) < 1e-12);
}

TEST_CASE("two states beside each other are written with all arrays of both", "[cli][compare]") {
  const TinyFolder folder;
  const Json json = json_of(run(attention(folder, {"--against", "prompt=he%20the&layer=1", "--compare", "beside",
                                                   "--csv", folder.at("tables"), "--svg", folder.at("b.svg")})));
  CHECK(pattern_of(json).size() != pattern_of(json, "against_pattern").size());
  CHECK(folder.read("tables/against_pattern.csv").size() > 10);
  CHECK(xml_problem(folder.read("b.svg")) == "");
}

TEST_CASE("what cannot be compared is one sentence", "[cli][compare]") {
  const TinyFolder folder;
  check_refused(run(attention(folder, {"--against", "prompt=he"})), 1, "pattern");
  check_refused(run(attention(folder, {"--against", "nonsense=1"})), 1, "nonsense");
  check_refused(run(attention(folder, {"--against", "edit=dance"})), 1, "dance");
  check_refused(run(attention(folder, {"--against", "layer=99999999"})), 1, "The other side: attention.layer");
  check_refused(run(attention(folder, {"--against", "model=absent"})), 1, "absent");
  check_refused(run(attention(folder, {"--against", "layer=1", "--compare", "sideways"})), 2, "sideways");
  check_refused(run(attention(folder, {"--compare", "beside"})), 2, "--against");
}

TEST_CASE("a preset is asked for by its name", "[cli]") {
  const Json json = json_of(run({"run", "position_helix", "--preset", "sinusoidal_1000", "--json"}));
  CHECK(json["params"]["base"] == 1000);
  CHECK(json["claims"][0]["id"] == "F11");
  CHECK(json["claims"][0]["holds"] == true);
  const Json more =
      json_of(run({"run", "position_helix", "--preset", "sinusoidal_1000", "--set", "base=500", "--json"}));
  CHECK(more["params"]["base"] == 500);
  check_refused(run({"run", "position_helix", "--preset", "none"}), 2, "none");
}

}  // namespace cli_compare_test
