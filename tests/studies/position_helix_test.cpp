#include "studies/position_helix/position_helix.h"

#include <algorithm>

#include "checkpoint/open_file.h"
#include "studies/registry_compute.h"
#include "studies/registry_view.h"
#include "tests/support.h"

namespace position_helix_test {

using namespace helix;
using namespace helix::testing;
using Catch::Approx;
using protocol::Result;

namespace {

const studies::ComputeStudy& study() { return *studies::find_compute_study("position_helix"); }

struct Ran {
  Expected<Result> exact = Error{"never ran"};
  std::vector<Result> first_pictures;
};

Ran run(const ParamValues& changes, studies::Inputs inputs) {
  Ran ran;
  inputs.on_first_picture = [&](Result r) { ran.first_pictures.push_back(std::move(r)); };
  ran.exact = run_to_end(study().run(values_of(study().schema, changes), std::move(inputs)));
  return ran;
}

studies::Inputs inputs_of(const Matrix<double>& rows) {
  studies::Inputs inputs;
  inputs.weights = weights_of(checkpoint_of(rows));
  inputs.provenance.model = "planted";
  return inputs;
}

Result result_of(const Matrix<double>& rows, const ParamValues& changes) {
  Ran ran = run(changes, inputs_of(rows));
  REQUIRE(ran.exact);
  return *ran.exact;
}

double number(const Result& result, std::string_view name) {
  const auto* scalar = result.scalar(name);
  REQUIRE(scalar);
  return scalar->value;
}

const protocol::Claim* claim(const Result& result, std::string_view id) {
  const auto it = std::find_if(result.claims.begin(), result.claims.end(), [&](const auto& c) { return c.id == id; });
  return it == result.claims.end() ? nullptr : &*it;
}

std::optional<bool> holds(const Result& result, std::string_view id) {
  const auto* found = claim(result, id);
  REQUIRE(found);
  CHECK(!found->convention.empty());
  return found->holds;
}

// 100 positions, 20 dimensions: the fit is fast; the noise has 17 dimensions besides the helix's three.
constexpr std::size_t kRows = 100, kDims = 20;
const ParamValues kPlanted{{"first", "1"}, {"last", "99"}};

}  // namespace

TEST_CASE("a planted helix is found: its turns, its share, and that it is one", "[study][position_helix]") {
  constexpr double noise = 0.1;
  const Result result = result_of(helix_rows(kRows, kDims, 2.5, noise), kPlanted);
  // Variances: 2 and 2 of the circle, 0.75 of the line, 0.01 per dimension of noise.
  const double planted = (4.75 + 3 * noise * noise) / (4.75 + 20 * noise * noise);
  CHECK(number(result, "explained_first3") == Approx(planted).margin(0.01));
  CHECK(number(result, "components_for_90") == 3);
  CHECK(number(result, "turns") == Approx(2.5 * 98 / 99).margin(0.1));
  CHECK(number(result, "turns_skipped") == 0);
  CHECK(number(result, "positions") == kRows);
  CHECK(holds(result, "H1") == true);
  CHECK(holds(result, "H2") == true);
  CHECK(result.array("points")->shape == std::vector<std::size_t>{99, 8});
  CHECK(result.array("points")->first == 1);
  CHECK(result.array("residual")->shape == std::vector<std::size_t>{99});
  CHECK(result.array("explained")->shape == std::vector<std::size_t>{20});
  CHECK(result.array("explained")->first == 1);
  double all = 0;
  for (const double share : result.array("explained")->data) all += share;
  CHECK(all == Approx(1));
}

TEST_CASE("noise is not taken for a helix", "[study][position_helix]") {
  const Result result = result_of(noise_rows(kRows, kDims), kPlanted);
  CHECK(number(result, "explained_first3") < 0.4);
  CHECK(number(result, "components_for_90") > 10);
  CHECK(holds(result, "H1") == false);
  CHECK(holds(result, "H2") == false);
  CHECK(holds(result, "H3") == false);
}

TEST_CASE("a ring that goes nowhere is no helix", "[study][position_helix]") {
  Matrix<double> rows = noise_rows(kRows, kDims);
  for (double& x : rows.data) x *= 0.05;
  for (std::size_t i = 0; i < kRows; ++i)
    rows(i, 0) += 2 * std::cos(0.2 * static_cast<double>(i)), rows(i, 1) += 2 * std::sin(0.2 * static_cast<double>(i));
  const Result result = result_of(rows, kPlanted);
  CHECK(number(result, "turns") > 3);
  CHECK(holds(result, "H1") == true);
  CHECK(holds(result, "H2") == false);
}

TEST_CASE("the step to an outlier near the axis is left out of the turns, and counted", "[study][position_helix]") {
  Matrix<double> rows = helix_rows(kRows, kDims, 2.5, 0);
  std::vector<double> mean(kDims);
  for (std::size_t i = 1; i + 1 < kRows; ++i)
    for (std::size_t j = 0; j < kDims; ++j) mean[j] += rows(i, j) / (kRows - 2);
  for (std::size_t j = 0; j < kDims; ++j) rows(99, j) = mean[j] - 0.05 * (rows(98, j) - mean[j]);  // through the axis
  const Result result = result_of(rows, kPlanted);
  CHECK(number(result, "turns_skipped") == 1);
  CHECK(number(result, "turns") == Approx(2.5 * 97 / 99).margin(0.1));
}

TEST_CASE("averaging keeps row 0 and makes each group one point", "[study][position_helix]") {
  const Matrix<double> rows = helix_rows(kRows, kDims, 2.5, 0.05);
  const Result result = result_of(rows, {{"first", "0"}, {"last", "99"}, {"group", "10"}});
  const auto& points = *result.array("points");
  const auto same = [&](std::size_t a, std::size_t b) {
    for (std::size_t c = 0; c < 8; ++c)
      if (std::abs(points.data[a * 8 + c] - points.data[b * 8 + c]) > 1e-9) return false;
    return true;
  };
  CHECK(!same(0, 1));
  for (std::size_t i = 2; i <= 10; ++i) CHECK(same(1, i));
  CHECK(!same(10, 11));
  CHECK(same(11, 20));
  CHECK(same(91, 99));
  CHECK(result.claims.empty());  // the claims are about the original rows
  const Result plain = result_of(rows, {{"first", "0"}, {"last", "0"}});
  const Result kept = result_of(rows, {{"first", "0"}, {"last", "0"}, {"group", "10"}, {"centre", "0"}});
  const Result stored = result_of(rows, {{"first", "0"}, {"last", "0"}, {"centre", "0"}});
  CHECK(kept.array("points")->data == stored.array("points")->data);
  CHECK(plain.array("points")->shape[0] == 1);
}

TEST_CASE("axes fitted on other rows than those shown", "[study][position_helix]") {
  const Matrix<double> rows = helix_rows(kRows, kDims, 2.5, 0.05);
  const Result all = result_of(rows, {{"first", "30"}, {"last", "99"}});
  const Result part = result_of(rows, {{"first", "40"}, {"last", "60"}, {"fit_first", "30"}, {"fit_last", "99"}});
  REQUIRE(part.array("points")->shape[0] == 21);
  CHECK(part.array("points")->first == 40);
  for (std::size_t i = 0; i < 21 * 8; ++i)
    CHECK(part.array("points")->data[i] == Approx(all.array("points")->data[10 * 8 + i]).margin(1e-9));
  CHECK(part.scalar("explained_first3")->note.find("axes and mean of rows 30..99") != std::string::npos);
  CHECK(part.array("explained")->shape == std::vector<std::size_t>{8});
  CHECK(part.claims.empty());
  const Result own = result_of(rows, {{"first", "40"}, {"last", "60"}});
  CHECK(number(own, "explained_first3") != number(part, "explained_first3"));
  // One end of the fit is given; the other one defaults to the end of the range.
  const Result half = result_of(rows, {{"first", "40"}, {"last", "99"}, {"fit_first", "30"}});
  for (std::size_t i = 0; i < 60 * 8; ++i)
    CHECK(half.array("points")->data[i] == Approx(all.array("points")->data[10 * 8 + i]).margin(1e-9));
}

TEST_CASE("a first picture comes before the exact result and agrees with it", "[study][position_helix]") {
  const Ran ran = run(kPlanted, inputs_of(helix_rows(kRows, kDims, 2.5, 0.1)));
  REQUIRE(ran.exact);
  REQUIRE(ran.first_pictures.size() == 1);
  const Result &first = ran.first_pictures[0], &exact = *ran.exact;
  CHECK(!first.complete);
  CHECK(exact.complete);
  CHECK(first.claims.empty());
  CHECK(number(first, "explained_first3") == Approx(number(exact, "explained_first3")).margin(1e-6));
  CHECK(number(first, "turns") == Approx(number(exact, "turns")).margin(1e-6));
  const auto &a = first.array("points")->data, &b = exact.array("points")->data;
  REQUIRE(a.size() == b.size());
  for (std::size_t i = 0; i < 99; ++i)
    for (std::size_t c = 0; c < 3; ++c) CHECK(a[i * 8 + c] == Approx(b[i * 8 + c]).margin(1e-6));
}

TEST_CASE("what was fitted is remembered from run to run, and only as long as it is the answer",
          "[study][position_helix]") {
  studies::Inputs inputs = inputs_of(helix_rows(kRows, kDims, 2.5, 0.1));
  const Ran first = run(kPlanted, inputs), again = run(kPlanted, inputs);
  CHECK(first.first_pictures.size() == 1);
  CHECK(again.first_pictures.empty());
  REQUIRE((first.exact && again.exact));
  CHECK(first.exact->array("points")->data == again.exact->array("points")->data);

  for (const ParamValues& other :
       {ParamValues{{"first", "5"}, {"last", "99"}}, ParamValues{{"first", "1"}, {"last", "99"}, {"centre", "0"}},
        ParamValues{{"first", "1"}, {"last", "99"}, {"group", "3"}}}) {
    const Ran changed = run(other, inputs);
    const Ran fresh = run(other, inputs_of(helix_rows(kRows, kDims, 2.5, 0.1)));
    REQUIRE((changed.exact && fresh.exact));
    CHECK(number(*changed.exact, "explained_first3") == Approx(number(*fresh.exact, "explained_first3")).margin(1e-12));
  }
  REQUIRE(run(kPlanted, inputs).exact);
  inputs.weights = weights_of(checkpoint_of(noise_rows(kRows, kDims)));  // other weights under the same name
  const Ran other = run(kPlanted, inputs);
  REQUIRE(other.exact);
  CHECK(number(*other.exact, "explained_first3") < 0.4);
}

TEST_CASE("ranges that cannot be are refused in one sentence", "[study][position_helix]") {
  const Matrix<double> rows = helix_rows(kRows, kDims, 2, 0.1);
  const auto refused = [&](const ParamValues& changes, const std::string& part) {
    const Ran ran = run(changes, inputs_of(rows));
    REQUIRE(!ran.exact);
    check_sentence(ran.exact.error().sentence, part);
    CHECK(ran.first_pictures.empty());
  };
  refused({{"first", "100"}, {"last", "200"}}, "position 100");
  refused({{"first", "50"}, {"last", "49"}}, "position 49");
  refused({{"first", "1"}, {"last", "50"}, {"fit_first", "500"}, {"fit_last", "600"}}, "axes");
  refused({{"first", "1"}, {"last", "50"}, {"fit_first", "60"}}, "axes");
  Ran none = run(kPlanted, {});
  REQUIRE(!none.exact);
  check_sentence(none.exact.error().sentence, "No model");
}

TEST_CASE("a last row beyond the model's is the last there is, and said", "[study][position_helix]") {
  const Matrix<double> rows = helix_rows(kRows, kDims, 2, 0.1);
  const Result beyond = result_of(rows, {{"first", "1"}, {"last", "1023"}});
  REQUIRE(beyond.notes.size() == 1);
  check_sentence(beyond.notes[0], "99");
  CHECK(beyond.notes[0].find("1023") != std::string::npos);
  CHECK(beyond.array("points")->shape[0] == 99);
  CHECK(result_of(rows, kPlanted).notes.empty());
}

TEST_CASE("turns need two different components that exist", "[study][position_helix]") {
  const Matrix<double> rows = helix_rows(kRows, kDims, 2.5, 0.05);
  const Result good = result_of(rows, kPlanted);
  const Result swapped = result_of(rows, {{"first", "1"}, {"last", "99"}, {"plane", "2,1"}});
  CHECK(number(swapped, "turns") == Approx(number(good, "turns")));
  const Result same = result_of(rows, {{"first", "1"}, {"last", "99"}, {"plane", "2,2"}});
  CHECK(std::isnan(number(same, "turns")));
  CHECK(!same.scalar("turns")->note.empty());
  const Result few = result_of(rows, {{"first", "1"}, {"last", "3"}, {"plane", "1,8"}});
  CHECK(std::isnan(number(few, "turns")));
}

TEST_CASE("what does not vary has no shares, and claims nothing", "[study][position_helix]") {
  Matrix<double> equal(kRows, kDims);
  for (double& x : equal.data) x = 0.1;
  for (const Matrix<double>& rows : {equal, Matrix<double>(kRows, kDims)}) {
    const Result result = result_of(rows, kPlanted);
    for (const char* name : {"explained_first3", "components_for_90", "turns", "along"}) {
      CAPTURE(name);
      CHECK(std::isnan(number(result, name)));
      CHECK(!result.scalar(name)->note.empty());
    }
    for (const char* id : {"H1", "H2", "H3"}) {
      CAPTURE(id);
      REQUIRE(claim(result, id));
      CHECK(!claim(result, id)->here);
      CHECK(!holds(result, id));
    }
    const figure::Figure f = studies::find_view_study("position_helix")->view(result, result.params);
    CHECK(f.title == "Nothing varies among these positions of planted");
    CHECK(f.summary.find("nothing varies along these axes") != std::string::npos);
  }
  const Result one = result_of(helix_rows(kRows, kDims, 2.5, 0.05), {{"first", "4"}, {"last", "4"}});
  CHECK(std::isnan(number(one, "explained_first3")));
  CHECK(one.scalar("explained_first3")->note == "a single row does not vary");
}

TEST_CASE("a direction that rounding makes is not counted", "[study][position_helix]") {
  // Two rows lie on a line: their second component is what rounding leaves.
  const Result two = result_of(helix_rows(kRows, kDims, 2.5, 0.1),
                               {{"first", "1"}, {"last", "99"}, {"fit_first", "3"}, {"fit_last", "9"}});
  CHECK(two.array("explained")->data.size() == 6);
  const Result line = result_of(helix_rows(kRows, kDims, 2.5, 0.1),
                                {{"first", "1"}, {"last", "99"}, {"fit_first", "3"}, {"fit_last", "4"}});
  CHECK(line.array("explained")->data.size() == 1);
  CHECK(line.array("points")->shape == std::vector<std::size_t>{99, 1});
  CHECK(number(line, "explained_first3") == line.array("explained")->data[0]);
}

TEST_CASE("the title says helix where the rule of the claim does, and names another plane", "[position_helix][view]") {
  const auto title = [](const Result& result) {
    return studies::find_view_study("position_helix")->view(result, result.params).title;
  };
  CHECK(title(result_of(helix_rows(kRows, kDims, 2.5, 0.05), kPlanted)) ==
        "planted stores its sense of place on a helix");
  Matrix<double> ring = noise_rows(kRows, kDims);
  for (double& x : ring.data) x *= 0.05;
  for (std::size_t i = 0; i < kRows; ++i)
    ring(i, 0) += 2 * std::cos(0.2 * static_cast<double>(i)), ring(i, 1) += 2 * std::sin(0.2 * static_cast<double>(i));
  CHECK(title(result_of(ring, kPlanted)) == "planted's positions turn, but do not lie on a helix");
  const Result other = result_of(ring, {{"first", "1"}, {"last", "99"}, {"plane", "8,7"}});
  CHECK(title(other).starts_with("planted's positions: "));
  CHECK(title(other).find("turns of components 8 and 7 (") != std::string::npos);
  CHECK(title(other).find(" of 98 steps left out)") != std::string::npos);
  CHECK(!holds(other, "H2"));
  CHECK(claim(other, "H2")->convention.find("here of 8 and 7") != std::string::npos);
  const auto sinusoids = [&](const char* dimensions, const char* positions) {
    const Ran ran =
        run({{"source", "sinusoidal"}, {"first", "0"}, {"dimensions", dimensions}, {"positions", positions}}, {});
    REQUIRE(ran.exact);
    return title(*ran.exact);
  };
  CHECK(sinusoids("128", "512") == "Sinusoidal position encodings fill many dimensions");
  CHECK(sinusoids("2", "64") == "2 directions hold 90 % of this sinusoidal encoding");
  CHECK(sinusoids("2", "2") == "1 direction holds 90 % of this sinusoidal encoding");
}

TEST_CASE("a control is not said to have learned anything", "[position_helix][view]") {
  Result result = result_of(helix_rows(60, 12, 2, 0.01), {});
  const auto subtitle = [&] {
    return studies::find_view_study("position_helix")->view(result, result.params).subtitle;
  };
  CHECK(subtitle().find("learned") != std::string::npos);
  result.provenance.model = "control:walk:3@planted";
  CHECK(subtitle().find("learned") == std::string::npos);
  CHECK(subtitle().find("rows of this control") != std::string::npos);
}

TEST_CASE("a control's title has its capital letter, and a subject that agrees with the verb",
          "[position_helix][view]") {
  Result result = result_of(helix_rows(kRows, kDims, 2.5, 0.05), kPlanted);
  const auto titled = [&](const std::string& model) {
    result.provenance.model = model;
    return studies::find_view_study("position_helix")->view(result, result.params).title;
  };
  CHECK(titled("minihelix") == "minihelix stores its sense of place on a helix");
  CHECK(titled("control:walk:3@minihelix") ==
        "The positions of a random walk with the steps of minihelix lie on a helix");
  CHECK(titled("control:rows:3@minihelix") == "The positions of minihelix in random order lie on a helix");
  CHECK(titled("control:noise:3@gpt2") == "Random positions with the norms of GPT-2 lie on a helix");
  CHECK(titled("control:weights:3@gpt2") == "The positions of GPT-2 with random weights lie on a helix");
}

TEST_CASE("the outlying ends are found where they are planted", "[study][position_helix]") {
  Matrix<double> rows = noise_rows(kRows, kDims);
  for (std::size_t i = 0; i < kRows; ++i)
    for (std::size_t j = 0; j < kDims; ++j) rows(i, j) = 1 + 0.001 * rows(i, j);
  for (std::size_t j = 0; j < kDims; ++j) rows(0, j) *= 3, rows(99, j) *= 2.6;
  CHECK(holds(result_of(rows, kPlanted), "H3") == true);
  std::swap_ranges(rows.row(99).begin(), rows.row(99).end(), rows.row(50).begin());
  CHECK(holds(result_of(rows, kPlanted), "H3") == false);
}

TEST_CASE("the sinusoidal encoding needs no weights and spreads over many components", "[study][position_helix]") {
  const ParamValues params = values_of(study().schema, {{"source", "sinusoidal"}});
  const studies::Known nothing{[](const std::string&) { return std::nullopt; }};
  CHECK(study().needs(params, nothing).empty());
  const auto needs = study().needs(values_of(study().schema), nothing);
  REQUIRE(needs.size() == 1);
  CHECK((needs[0].model.empty() && needs[0].tensors == std::vector<std::string>{"wpe.weight"}));
  for (const auto& [base, components] : {std::pair{"10000", 137.0}, std::pair{"1000", 153.0}}) {
    const Ran ran = run({{"source", "sinusoidal"}, {"first", "0"}, {"last", "1023"}, {"base", base}}, {});
    REQUIRE(ran.exact);
    CHECK(number(*ran.exact, "components_for_90") == components);
    CHECK(holds(*ran.exact, "F11") == (components == 153));
    CHECK(ran.exact->provenance.model.empty());
    CHECK(ran.exact->provenance.precision == "F64");
  }
}

TEST_CASE("the size of the sinusoidal encoding is a parameter, whatever model is open", "[study][position_helix]") {
  const studies::Inputs small = inputs_of(helix_rows(kRows, kDims, 2.5, 0.1));
  const ParamValues preset{{"source", "sinusoidal"}, {"first", "0"}, {"base", "1000"}};
  const Ran beside = run(preset, small);
  REQUIRE(beside.exact);
  CHECK(number(*beside.exact, "components_for_90") == 153);
  CHECK(number(*beside.exact, "positions") == 1024);
  ParamValues other = preset;
  other.emplace_back("positions", "200"), other.emplace_back("dimensions", "64"), other.emplace_back("last", "199");
  const Ran smaller = run(other, small);
  REQUIRE(smaller.exact);
  CHECK(number(*smaller.exact, "positions") == 200);
  CHECK(number(*smaller.exact, "components_for_90") < 64);
  CHECK(claim(*smaller.exact, "F11") == nullptr);  // the claim is about GPT-2 small's size
}

TEST_CASE("cancelling a run frees all it held", "[study][position_helix]") {
  for (int steps = 0; steps < 12; ++steps) {
    const studies::Inputs inputs = inputs_of(helix_rows(kRows, kDims, 2.5, 0.1));
    Job<Expected<Result>> job(study().run(values_of(study().schema, kPlanted), inputs));
    job.context().should_pause = [] { return true; };
    for (int i = 0; i < steps && !job.done(); ++i) job.step();
  }  // the sanitizer reports what is not freed
  SUCCEED();
}

TEST_CASE("GPT-2's published numbers", "[study][position_helix][weights][large]") {
  const auto path = gpt2_path();
  if (!path) SKIP("no GPT-2 weights at hand: set HELIXSCOPE_GPT2 to a file or folder");
  auto opened = checkpoint::ModelFile::open(*path);
  REQUIRE(opened);
  const auto file = std::make_shared<checkpoint::ModelFile>(std::move(*opened));
  const std::vector<std::string> names{"wpe.weight"};
  REQUIRE(file->load(names));
  studies::Inputs inputs;
  inputs.weights = std::shared_ptr<const checkpoint::WeightFile>(file, &file->weights());
  const auto with = [&](const ParamValues& changes) {
    Ran ran = run(changes, inputs);
    REQUIRE(ran.exact);
    return *ran.exact;
  };
  const auto four = [](double x) { return std::round(x * 1e4) / 1e4; };

  const Result whole = with({});
  CHECK(four(number(whole, "explained_first3")) == 0.9106);
  CHECK(number(whole, "components_for_90") == 3);
  CHECK(std::round(number(whole, "turns") * 100) / 100 == 3.02);
  CHECK(number(whole, "turns_skipped") == 1);
  CHECK(holds(whole, "H1") == true);
  CHECK(holds(whole, "H2") == true);
  CHECK(holds(whole, "H3") == true);
  CHECK(claim(whole, "H5") == nullptr);

  CHECK(four(number(with({{"first", "0"}}), "explained_first3")) == 0.9039);
  const Result unfrayed = with({{"first", "100"}});
  CHECK(four(number(unfrayed, "explained_first3")) == 0.9511);
  CHECK(holds(unfrayed, "H5") == true);
  const Result start = with({{"last", "99"}});
  CHECK(four(number(start, "explained_first3")) == 0.9640);
  REQUIRE(claim(start, "H6"));
  CHECK(claim(start, "H6")->holds == std::nullopt);
  const Result uncentred = with({{"centre", "0"}});
  CHECK(number(uncentred, "components_for_90") == 4);
  CHECK(holds(uncentred, "H1") == false);
}

}  // namespace position_helix_test
