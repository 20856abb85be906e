// Readings of places whose numbers a view works out from the result: against the result's arrays.
#include <algorithm>

#include "base/length_text.h"
#include "base/text.h"
#include "studies/registry_compute.h"
#include "studies/registry_view.h"
#include "tests/figure/drawings.h"
#include "tests/studies/golden.h"

namespace readings_test {

using namespace helix;
using namespace helix::testing;
using protocol::Array;
using protocol::Result;

namespace {

const Result& result_of(const char* study) { return golden(*studies::find_compute_study(study)); }

figure::Reading reading_of(const char* study, Focus focus) {
  const Result& result = result_of(study);
  return studies::find_view_study(study)->reading(result, result.params, focused(std::move(focus)));
}

const Array& array_of(const char* study, const char* name) {
  const Array* array = result_of(study).array(name);
  REQUIRE(array);
  REQUIRE(!array->data.empty());
  return *array;
}

}  // namespace

TEST_CASE("pairs of layers so far apart are read by their mean angle", "[layer_frames][reading]") {
  const int layers = static_cast<int>(array_of("layer_frames", "angles").shape[0]);
  REQUIRE(layers > 1);
  const figure::Reading last = reading_of("layer_frames", {{"apart", layers - 1}});
  CHECK(last.title == std::to_string(layers - 1) + (layers == 2 ? " layer apart" : " layers apart"));
  // Only one pair is as far apart as can be.
  CHECK(last.lines.at(0) == reading_of("layer_frames", {{"layer", 0}, {"other layer", layers - 1}}).lines.at(0));
  CHECK(reading_of("layer_frames", {{"apart", layers}}).title.empty());
}

TEST_CASE("a dimension that stands out is read by its number, not its rank", "[attention_sink][reading]") {
  const double dimension = array_of("attention_sink", "dimension").data.at(0);
  const figure::Reading said = reading_of("attention_sink", {{"rank", 1}});
  CHECK(said.title == "dimension " + to_fixed(dimension, 0));
  const double raw = array_of("attention_sink", "bias_term").data.at(static_cast<std::size_t>(dimension));
  CHECK(said.lines.at(0) == "raw  " + number_text(raw, 4));
  CHECK(said.lines == reading_of("attention_sink", {{"dimension", static_cast<int>(dimension)}}).lines);
}

TEST_CASE("dimensions sorted by size are read from the largest on", "[extended_positions][reading]") {
  const Array& largest = array_of("extended_positions", "largest");
  const auto d = static_cast<std::ptrdiff_t>(largest.shape[1]);
  const auto [least, most] = std::minmax_element(largest.data.begin(), largest.data.begin() + d);
  CHECK(reading_of("extended_positions", {{"item", 1}}).lines.at(0) == "positions  " + length_text(*most, 4));
  CHECK(reading_of("extended_positions", {{"item", static_cast<int>(d)}}).lines.at(0) ==
        "positions  " + length_text(*least, 4));
  CHECK(reading_of("extended_positions", {{"item", static_cast<int>(d) + 1}}).title.empty());
  CHECK(reading_of("extended_positions", {{"variant", 9}}).title == "random subspaces");
}

TEST_CASE("a direction is read by what of it lies in the other matrix' first", "[subspace_overlap][reading]") {
  const Array& overlap = array_of("subspace_overlap", "overlap");
  const std::size_t rows = overlap.shape[0], cols = overlap.shape[1];
  double row = 0, col = 0;
  for (std::size_t j = 0; j < std::min<std::size_t>(cols, 30); ++j) row += overlap.data[cols + j];
  for (std::size_t i = 0; i < std::min<std::size_t>(rows, 30); ++i) col += overlap.data[i * cols + 1];
  CHECK(reading_of("subspace_overlap", {{"a", 2}}).lines.at(0).ends_with("  " + percent_text(row, 2)));
  CHECK(reading_of("subspace_overlap", {{"b", 2}}).lines.at(0).ends_with("  " + percent_text(col, 2)));
  CHECK(reading_of("subspace_overlap", {{"a", static_cast<int>(rows) + 1}}).title.empty());
}

TEST_CASE("a cell of a pattern is read in all patterns that are drawn", "[averaged_positions][reading]") {
  const Array& pattern = array_of("averaged_positions", "pattern");
  const auto* from = result_of("averaged_positions").scalar("first_query");
  REQUIRE(from);
  const int first = static_cast<int>(from->value);
  const std::size_t side = pattern.shape[1];
  const figure::Reading said = reading_of("averaged_positions", {{"query", first + 2}, {"key", first + 1}});
  CHECK(said.title.starts_with("query " + std::to_string(first + 2)));
  CHECK(said.lines.at(0) == "each token at its own position  " + percent_text(pattern.data[2 * side + 1], 2));
  REQUIRE(said.lines.size() > 1);
  CHECK(reading_of("averaged_positions", {{"query", first + 1}, {"key", first + 2}}).title.empty());  // a later token
  CHECK(reading_of("averaged_positions", {{"query", first + static_cast<int>(side)}, {"key", first}}).title.empty());
}

}  // namespace readings_test
