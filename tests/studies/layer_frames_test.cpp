#include "studies/layer_frames/layer_frames.h"

#include <cmath>
#include <numbers>
#include <numeric>

#include "base/pcg64.h"
#include "studies/layer_frames/claims.h"
#include "studies/layer_frames/frames.h"
#include "studies/registry_view.h"
#include "tests/planted.h"

namespace layer_frames_test {

using namespace helix;
using namespace helix::testing;
using namespace helix::studies::layer_frames;
using Catch::Approx;

namespace {

using Basis = std::shared_ptr<const Matrix<double>>;

Basis random_basis(std::size_t rows, std::size_t cols, std::uint32_t seed) {
  return run_to_end(random_frames({rows}, cols, seed))[0];
}

/// Basis turned away from those of `a` by these angles, each in a plane of its own; `b` is orthogonal to `a`.
Matrix<double> turned(const Matrix<double>& a, const Matrix<double>& b, const std::vector<double>& angles) {
  Matrix<double> out(angles.size(), a.cols);
  for (std::size_t i = 0; i < out.rows; ++i)
    for (std::size_t j = 0; j < out.cols; ++j)
      out(i, j) = std::cos(angles[i]) * a(i, j) + std::sin(angles[i]) * b(i, j);
  return out;
}

/// Basis of noise that spread `by` times as far along each row of `signal`.
Basis with_signal(std::size_t n, const Matrix<double>& signal, double by, std::uint32_t seed) {
  auto rows = std::make_shared<Matrix<double>>(n, signal.cols);
  Pcg64 random(seed);
  random.normal(std::span(rows->data));
  std::vector<double> weights(n * signal.rows);
  random.normal(std::span(weights));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < signal.rows; ++k)
      for (std::size_t j = 0; j < signal.cols; ++j) (*rows)(i, j) += by * weights[i * signal.rows + k] * signal(k, j);
  return rows;
}

studies::Inputs with_tokens(std::size_t count) {
  studies::Inputs inputs = planted_inputs();
  for (std::size_t i = 0; i < count; ++i)
    inputs.subject.tokens.push_back(static_cast<std::int32_t>((7 * i * i + 3 * i) % 97));
  return inputs;
}

}  // namespace

TEST_CASE("planted angles are found", "[layer_frames]") {
  const Basis all = random_basis(8, 40, 3);
  Matrix<double> a(4, 40), b(4, 40);
  std::copy_n(all->data.begin(), 160, a.data.begin());
  std::copy_n(all->data.begin() + 160, 160, b.data.begin());
  const std::vector<double> planted{0, 2e-5, 0.3, 1.2};
  const Matrix<double> c = turned(a, b, planted);
  const auto found = run_to_end(principal_angles(a.view(), c.view()));
  REQUIRE(found.size() == 4);
  for (std::size_t i = 0; i < 4; ++i) CHECK(found[i] == Approx(planted[i] * 180 / std::numbers::pi).margin(1e-6));
  // Of spaces of unequal size, as many as the smaller has.
  const auto fewer = run_to_end(principal_angles(c.view().slice(2, 2), a.view()));
  REQUIRE(fewer.size() == 2);
  CHECK(fewer[1] == Approx(1.2 * 180 / std::numbers::pi).margin(1e-6));
  for (const double x : run_to_end(principal_angles(a.view(), a.view()))) CHECK(x == 0);
  for (const double x : run_to_end(principal_angles(a.view(), b.view()))) CHECK(x == Approx(90));
  CHECK(run_to_end(principal_angles(a.view().slice(0, 0), b.view())).empty());
}

TEST_CASE("a planted frame has its dimensions and angle; noise has none", "[layer_frames]") {
  const Basis all = random_basis(6, 60, 5);
  Matrix<double> a(3, 60), b(3, 60);
  std::copy_n(all->data.begin(), 180, a.data.begin());
  std::copy_n(all->data.begin() + 180, 180, b.data.begin());
  const Matrix<double> c = turned(a, b, {0.4, 0.4, 0.4});
  for (const std::size_t n : {40u, 400u}) {
    CAPTURE(n);
    const Components one = run_to_end(components_of(with_signal(n, a, 30, 1), 20));
    const Components two = run_to_end(components_of(with_signal(n, c, 30, 2), 20));
    for (const Criterion criterion : {Criterion::mean, Criterion::median, Criterion::gap}) {
      CHECK(signal_dimensions(one, criterion) == 3);
      CHECK(signal_dimensions(two, criterion) == 3);
    }
    const auto angles =
        run_to_end(principal_angles(one.directions.view().slice(0, 3), two.directions.view().slice(0, 3)));
    for (const double x : angles) CHECK(x == Approx(0.4 * 180 / std::numbers::pi).margin(n == 40 ? 12 : 4));
    std::size_t in_noise = 0, by_median = 0;
    for (std::uint32_t seed = 1; seed <= 10; ++seed) {
      const Components noise = run_to_end(components_of_noise(n, 60, seed));
      in_noise += signal_dimensions(noise, Criterion::mean);
      by_median += signal_dimensions(noise, Criterion::median);
    }
    CHECK(in_noise <= 3);  // the largest eigenvalue of noise is above the edge one time in six
    CHECK(by_median <= 5);
  }
}

TEST_CASE("the noise's median, edges and the gap", "[layer_frames]") {
  CHECK(median_of_noise(1e-6) == Approx(1).margin(1e-3));
  CHECK(median_of_noise(1) == Approx(0.6528).margin(1e-3));
  const Components noise = run_to_end(components_of_noise(300, 150, 1));
  CHECK(noise.values[75] * 1.0 == Approx(median_of_noise(0.5)).epsilon(0.03));
  const Components layer{4, 8, {8, 4, 2, 1.5}, {}};
  CHECK(edge_of(layer, Criterion::mean) == Approx(15.5 / 8 * std::pow(1 + std::sqrt(2), 2)));
  const double geometric = std::pow(8 * 4 * 2 * 1.5, 0.25);
  CHECK(edge_of(layer, Criterion::geometric) == Approx(geometric * std::pow(1 + std::sqrt(0.5), 2)));
  CHECK(edge_of(layer, Criterion::geometric_text) == Approx(geometric * std::pow(1 + std::sqrt(2), 2)));
  CHECK(std::isnan(edge_of(layer, Criterion::share)));
  CHECK(signal_dimensions(layer, Criterion::share) == 3 + (14.0 / 15.5 < 0.9));
  const Gap gap = largest_gap(layer);
  CHECK(gap.q == Approx(4));
  CHECK(gap.at == 2);
  CHECK(participation(layer) == Approx(15.5 * 15.5 / (64 + 16 + 4 + 2.25)));
  const Components nothing{4, 8, {0, 0, 0, 0}, {}};
  for (std::size_t c = 0; c < kCriteria; ++c) CHECK(signal_dimensions(nothing, static_cast<Criterion>(c)) == 0);
  CHECK(std::isnan(participation(nothing)));
}

TEST_CASE("equal frames lie at one point; frames on a quarter turn lie on an arc", "[layer_frames]") {
  const Basis all = random_basis(2, 10, 1);
  Matrix<double> a(1, 10), b(1, 10);
  std::copy_n(all->data.begin(), 10, a.data.begin());
  std::copy_n(all->data.begin() + 10, 10, b.data.begin());
  Frames frames, same;
  for (int i = 0; i < 4; ++i) {
    frames.push_back(std::make_shared<const Matrix<double>>(turned(a, b, {0.3 * i})));
    same.push_back(std::make_shared<const Matrix<double>>(a));
  }
  const std::vector<std::size_t> ones(4, 1);
  const Compared still = run_to_end(compare(same, ones)), turning = run_to_end(compare(frames, ones));
  CHECK(summary_of(still).most == 0);
  CHECK(union_rank(still, 1e-6) == 1);
  CHECK(union_effective(still) == Approx(1));
  CHECK(std::isnan(run_to_end(map_of(distances(still, Distance::sum))).stress));
  const Summary s = summary_of(turning);
  CHECK(s.consecutive == Approx(0.3 * 180 / std::numbers::pi));
  CHECK(s.most == Approx(0.9 * 180 / std::numbers::pi));
  CHECK(s.order == Approx(1));
  CHECK(union_rank(turning, 1e-6) == 2);
  CHECK(mean_of_pairs(overlaps(turning, std::cos(0.31))) == Approx(0.5));
  const Map map = run_to_end(map_of(distances(turning, Distance::sum)));
  CHECK(map.stress == Approx(0).margin(1e-6));  // the angles on one great circle add up: a line
  CHECK(map.at(3, 0) - map.at(0, 0) == Approx(s.most));
  CHECK(map.at(1, 1) == Approx(0).margin(1e-4));
}

TEST_CASE("layers of a small model: the first tokens alone are a shorter prompt", "[layer_frames]") {
  const Given share{{"criterion", "share"}};
  const auto all = run_study("layer_frames", with_tokens(60), share),
             few = run_study("layer_frames", with_tokens(15), share);
  REQUIRE(all);
  REQUIRE(few);
  CHECK(all->array("length")->data == std::vector<double>{15, 50, 60});
  CHECK(all->array("length_angle")->data[0] == Approx(few->scalar("mean_angle")->value).epsilon(1e-4));
  CHECK(all->array("length_union")->data[0] == few->scalar("union_rank")->value);
  CHECK(all->array("length_angle")->data[2] == all->scalar("mean_angle")->value);
  CHECK(all->array("angles")->shape == std::vector<std::size_t>{4, 4});
  CHECK(all->array("mds")->shape == std::vector<std::size_t>{4, 2});
  const auto& shares = all->array("share")->data;
  CHECK(std::accumulate(shares.begin(), shares.begin() + 24, 0.0) == Approx(1));
  CHECK(all->scalar("dispersion")->value < all->scalar("random_dispersion")->value);
  // Other settings read the same layers.
  const auto later =
      run_study("layer_frames", with_tokens(60), {{"criterion", "share"}, {"first", "10"}, {"ln_f", "1"}});
  REQUIRE(later);
  CHECK(later->scalar("samples")->value == 50);
  CHECK(later->array("share")->data[0] != shares[0]);
  const auto beyond = run_study("layer_frames", with_tokens(5), {{"first", "5"}});
  REQUIRE(!beyond);
  CHECK(beyond.error().sentence.find("position 4") != std::string::npos);
}

TEST_CASE("claims: noise has no signal, and a trend is judged where there are tokens enough",
          "[layer_frames][claims]") {
  const auto short_run = run_study("layer_frames", with_tokens(60));
  REQUIRE(short_run);
  auto out = protocol::read_outputs<Output>(*short_run);
  for (const auto& claim : claims(out)) {
    CAPTURE(claim.id);
    CHECK(claim.holds.has_value() == (claim.id == "F12"));
  }
  out.samples.value = 1000;
  out.length = {{3}, {15, 150, 1000}};
  out.length_angle = {{3}, {100, 200, 300}};
  out.length_dispersion = {{3}, {0.3, 0.31, 0.2}};
  out.length_union = {{3}, {10, 50, 60}};
  for (const auto& claim : claims(out)) {
    CAPTURE(claim.id);
    if (claim.id == "F14" || claim.id == "F16") CHECK(claim.holds == true);
    if (claim.id == "F14-dispersion") CHECK(claim.holds == false);
  }
}

TEST_CASE("the sentence about growth follows the numbers", "[layer_frames]") {
  const studies::ViewStudy* view = studies::find_view_study("layer_frames");
  REQUIRE(view);
  auto result = run_study("layer_frames", with_tokens(60), {{"criterion", "share"}});
  REQUIRE(result);
  const std::vector<double> spread{0.3, 0.3, 0.2}, gathers{0.2, 0.3, 0.3};
  const auto says = [&](std::vector<double> angle, std::vector<double> rank, std::vector<double> dispersion,
                        const std::string& part) {
    for (auto& a : result->arrays) {
      if (a.name == "length_angle") a.data = angle;
      if (a.name == "length_union") a.data = rank;
      if (a.name == "length_dispersion") a.data = dispersion;
    }
    for (const figure::Note& note : view->view(*result, result->params).notes)
      if (note.text.find(part) != std::string::npos) return true;
    return false;
  };
  CHECK(says({10, 20, 30}, {5, 6, 7}, spread, "All of these trends are the text's."));
  CHECK(says({10, 20, 30}, {5, 6, 7}, gathers,
             "The text's trend shows in the sum of angles and the rank of all frames together, but not in the "
             "dispersion."));
  CHECK(says({10, 20, 5}, {5, 6, 7}, gathers,
             "The text's trend shows in the rank of all frames together, but not in the sum of angles and the "
             "dispersion."));
  CHECK(says({10, 20, 5}, {5, 6, 5}, gathers, "None of these trends is the text's."));
  CHECK(says({10, 20, 5}, {5, 6, 5}, gathers, "the sum of angles falls from 10.0° to 5.0°"));
  CHECK(says({10, 20, 5}, {5, 6, 5}, gathers, "stays at 5"));
  CHECK(says({10, 20, 5}, {5, 6, 5}, gathers, "the dispersion grows from 0.200 to 0.300"));
  CHECK(says({10, 20, 5}, {5, 6, 5}, gathers, "For random frames with as many dimensions the sum "));
  CHECK(!says({10, 20, 5}, {5, 6, 5}, {0.3, std::nan(""), std::nan("")}, "the dispersion falls from 0.300"));
}

TEST_CASE("the first panel points at the headline's number, and its points are the pairs of layers", "[layer_frames]") {
  const auto result = run_study("layer_frames", with_tokens(60), {{"criterion", "share"}});
  REQUIRE(result);
  const figure::Figure f = studies::find_view_study("layer_frames")->view(*result, result->params);
  REQUIRE(f.panels.front().id == "pairs");
  const auto& plot = std::get<figure::Plot>(f.panels.front().content);
  double sum = 0, count = 0;
  std::string said;
  for (const figure::Mark& mark : plot.marks) {
    if (const auto* points = std::get_if<figure::Points>(&mark)) {
      const int layer = points->whole.front().index;
      for (std::size_t i = 0; i < points->at->size(); ++i, ++count) {
        CHECK((*points->at)(i, 0) == points->first + static_cast<int>(i) - layer);
        sum += (*points->at)(i, 1);
      }
    }
    if (const auto* callout = std::get_if<figure::Callout>(&mark)) {
      said = callout->text;
      CHECK(callout->lead);
      CHECK(callout->at[1] == result->scalar("dispersion")->value);
    }
  }
  const auto layers = static_cast<double>(result->array("dimensions")->data.size());
  CHECK(count == layers * (layers - 1) / 2);
  CHECK(sum / count == Approx(result->scalar("dispersion")->value));
  CHECK(said == f.lead.number + ", mean of all pairs");
}

TEST_CASE("each length stands beside the source's numbers, and lengths that are missing here too", "[layer_frames]") {
  const auto result = run_study("layer_frames", with_tokens(60), {{"criterion", "share"}});
  REQUIRE(result);
  const figure::Table t = studies::find_view_study("layer_frames")->view(*result, result->params).tables.front();
  CHECK(t.title.starts_with("Trends with the length"));
  CHECK(t.columns[0].values == std::vector<double>{15, 50, 60, 150, 1000});
  CHECK(t.columns[2].values[0] == result->array("length_angle")->data[0]);
  CHECK(t.columns[3].values[0] == 108.63);
  CHECK(t.columns[9].values[0] == 19);
  CHECK(t.columns[9].values[4] == 277);
  for (const std::size_t missing : {3u, 4u}) CHECK(std::isnan(t.columns[2].values[missing]));
  for (const std::size_t unstated : {1u, 2u}) CHECK(std::isnan(t.columns[3].values[unstated]));
}

TEST_CASE("the bundled texts are what they say", "[layer_frames]") {
  for (const studies::BundledText& text : studies::kBundledTexts) {
    CHECK(studies::find_bundled_text(text.id) == &text);
    CHECK(text.text.find_first_of("\n&%#+") == std::string_view::npos);  // it can stand in a link
  }
  CHECK(studies::first_words("one two three", 2) == "one two");
  CHECK(studies::first_words("one two three", 9) == "one two three");
  CHECK(studies::find_bundled_text("none") == nullptr);
}

}  // namespace layer_frames_test
