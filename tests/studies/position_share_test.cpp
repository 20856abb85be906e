#include "studies/position_share/position_share.h"

#include <cmath>
#include <fstream>
#include <set>

#include "base/text.h"
#include "studies/position_share/claims.h"
#include "studies/position_share/parts.h"
#include "studies/registry_view.h"
#include "tests/noise_model.h"

namespace position_share_test {

using namespace helix;
using namespace helix::testing;
using Catch::Approx;
using protocol::Result;
namespace share = studies::position_share;

namespace {

constexpr std::size_t kTexts = 12, kPositions = 30, kFeatures = 20;

/// Two directions of equal strength, so that the stable rank is 2.
Matrix<double> planted_positions() {
  Matrix<double> out(kPositions, kFeatures);
  for (std::size_t t = 0; t < kPositions; ++t) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(t) / kPositions;
    out(t, 3) = 2 * std::cos(angle), out(t, 7) = 2 * std::sin(angle);
  }
  return out;
}

/// 5 + pos + ctx + noise, of which each can be left out.
Matrix<float> planted(double of_position, double of_context, double of_noise) {
  Dice dice(3);
  const Matrix<double> position = planted_positions();
  Matrix<double> context(kTexts, kFeatures);
  for (double& x : context.data) x = dice.normal();
  Matrix<float> out(kTexts * kPositions, kFeatures);
  for (std::size_t c = 0; c < kTexts; ++c)
    for (std::size_t t = 0; t < kPositions; ++t)
      for (std::size_t j = 0; j < kFeatures; ++j)
        out(c * kPositions + t, j) = static_cast<float>(5 + of_position * position(t, j) + of_context * context(c, j) +
                                                        of_noise * dice.normal());
  return out;
}

share::Parts parts_of(const Matrix<float>& rows) { return run_to_end(share::parts_of(rows, kTexts)); }

double sum_of_parts(const share::Parts& p) { return p.of_position + p.of_context + p.of_rest; }

constexpr TinySizes kSizes{3, 24, 2, 40, 60};

/// A network whose layers hand on what they read: its residual stream is wte[token] + wpe[position] everywhere.
studies::Inputs idle(const std::function<void(Tensors&)>& change = {}) {
  return runnable_model(kSizes, [&](Tensors& t) {
    for (auto& [name, numbers] : t)
      if (name.find("c_proj") != std::string::npos) std::ranges::fill(numbers, 0.0f);
    if (change) change(t);
  });
}

const Given kPrompt{{"text", "prompt"}, {"windows", "8"}, {"window", "20"}, {"first", "0"}};

/// Eight texts, each one token over and over.
studies::Inputs repeating(studies::Inputs inputs) {
  for (std::int32_t text = 0; text < 8; ++text)
    for (int i = 0; i < 20; ++i) inputs.subject.tokens.push_back(5 * text + 1);
  return inputs;
}

/// Eight texts of 20 random tokens.
studies::Inputs random_texts(studies::Inputs inputs) {
  Dice dice(5);
  for (int i = 0; i < 160; ++i) inputs.subject.tokens.push_back(static_cast<std::int32_t>(dice.below(kSizes.n_vocab)));
  return inputs;
}

double number(const Result& r, const char* name) { return r.scalar(name)->value; }
const std::vector<double>& data(const Result& r, const char* name) { return r.array(name)->data; }

Result run(const studies::Inputs& inputs, const Given& values = kPrompt) {
  auto result = run_study("position_share", inputs, values);
  REQUIRE(result);
  return *result;
}

figure::Figure figure_of(const Result& result) {
  return studies::find_view_study("position_share")->view(result, result.params);
}

void set(Result& result, const char* name, double value) {
  for (auto& scalar : result.scalars)
    if (scalar.name == name) scalar.value = value;
}

bool says(const figure::Figure& f, const std::string& text) {
  return std::ranges::any_of(f.notes, [&](const auto& note) { return note.text.find(text) != std::string::npos; });
}

/// Rows of the table of GPT-2 small's positions, which is in the repository.
studies::Inputs gpt2_positions() {
  std::ifstream in(in_repository("assets/models/gpt2-positions/model.safetensors"), std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  REQUIRE(!text.empty());
  Bytes file(text.size());
  std::memcpy(file.data(), text.data(), text.size());
  studies::Inputs inputs;
  inputs.weights = weights_of(file);
  inputs.provenance.model = "gpt2-positions";
  inputs.no_network = "This model lacks wte.weight.";
  return inputs;
}

}  // namespace

TEST_CASE("planted parts are found with their sizes, and add up to the whole", "[position_share]") {
  const share::Parts p = parts_of(planted(1, 0.5, 0.1));
  CHECK(sum_of_parts(p) == Approx(p.whole).epsilon(1e-10));
  // 2² per position; a context of 20 normal numbers of 0.5, about its mean; noise of 20 numbers of 0.1.
  const double n = kTexts * kPositions;
  CHECK(p.of_position / n == Approx(4).epsilon(0.02));
  CHECK(p.of_context / n == Approx(0.25 * kFeatures * (kTexts - 1) / kTexts).epsilon(0.25));
  CHECK(p.of_rest / n == Approx(0.01 * kFeatures).epsilon(0.15));
  CHECK(p.stable_rank() == Approx(2).epsilon(0.05));
  CHECK(p.turns == Approx(29.0 / 30).epsilon(0.02));
  CHECK(p.neighbours == Approx(std::cos(2 * std::numbers::pi / kPositions)).epsilon(0.02));
  CHECK(p.share(p.of_position) > 10 * p.chance());
}

TEST_CASE("parts that were not planted are not there", "[position_share]") {
  const share::Parts position = parts_of(planted(1, 0, 0)), context = parts_of(planted(0, 1, 0)),
                     nothing = parts_of(planted(0, 0, 0));
  CHECK(position.share(position.of_position) == Approx(1));
  CHECK(position.share(position.of_rest) < 1e-10);
  CHECK(position.relative(position.position_norm) == Approx(1));
  CHECK(position.stable_rank_corrected() == Approx(2).epsilon(1e-6));
  CHECK(context.share(context.of_context) == Approx(1));
  CHECK(context.share(context.of_position) < 1e-10);
  CHECK(context.relative(context.context_norm) == Approx(1));
  for (const double x : {nothing.share(nothing.of_position), nothing.chance(), nothing.stable_rank(),
                         nothing.stable_rank_corrected(), nothing.relative(nothing.rest_norm), nothing.turns})
    CHECK(std::isnan(x));
}

TEST_CASE("noise has as much position as averaging leaves, one part in the number of texts", "[position_share]") {
  const share::Parts p = parts_of(planted(0, 0, 1));
  const double exact = (kPositions - 1.0) / (kTexts * kPositions - 1);
  CHECK(p.chance() == Approx(exact).epsilon(0.03));
  CHECK(p.share(p.of_position) == Approx(exact).epsilon(0.15));
  CHECK(p.share(p.of_position) < share::kAboveChance * p.chance());
}

TEST_CASE("what averaging leaves raises the stable rank, and is taken off", "[position_share]") {
  const share::Parts p = parts_of(planted(0.5, 0, 1));
  CHECK(p.stable_rank() > 2.5);
  CHECK(std::abs(p.stable_rank_corrected() - 2) < 0.5 * (p.stable_rank() - 2));
}

TEST_CASE("the norms are the largest singular values", "[position_share]") {
  const Matrix<float> rows = planted(0.4, 0.3, 0.5);
  const share::Parts p = parts_of(rows);
  // Power iteration on the rows less their mean.
  std::vector<double> mean(kFeatures, 0), v(kFeatures, 1);
  for (std::size_t i = 0; i < rows.rows; ++i)
    for (std::size_t j = 0; j < kFeatures; ++j) mean[j] += double(rows(i, j)) / double(rows.rows);
  double size = 0;
  for (int step = 0; step < 3000; ++step) {
    std::vector<double> next(kFeatures, 0);
    for (std::size_t i = 0; i < rows.rows; ++i) {
      double product = 0;
      for (std::size_t j = 0; j < kFeatures; ++j) product += (double(rows(i, j)) - mean[j]) * v[j];
      for (std::size_t j = 0; j < kFeatures; ++j) next[j] += product * (double(rows(i, j)) - mean[j]);
    }
    size = 0;
    for (const double x : next) size += x * x;
    size = std::sqrt(size);
    for (std::size_t j = 0; j < kFeatures; ++j) v[j] = next[j] / size;
  }
  CHECK(p.whole_norm == Approx(std::sqrt(size)).epsilon(1e-6));
  CHECK(p.position_norm == Approx(std::sqrt(p.of_position / p.stable_rank())));
  CHECK(p.rest_norm * p.rest_norm < p.of_rest);
}

TEST_CASE("in layers that add nothing, position and text keep their shares", "[position_share]") {
  const studies::Inputs inputs = repeating(idle());
  const Result r = run(inputs);
  const auto& shares = data(r, "share_position");
  REQUIRE(shares.size() == 4);  // three layers, and the end
  for (std::size_t l = 0; l < 4; ++l) {
    CHECK(shares[l] == Approx(shares[0]).epsilon(1e-5));
    CHECK(data(r, "share_rest")[l] < 1e-10);
    CHECK(shares[l] + data(r, "share_context")[l] == Approx(1));
    CHECK(data(r, "rank")[l] == Approx(number(r, "table_rank")).epsilon(1e-5));
  }
  CHECK(number(r, "sum_error") < 1e-5);
  CHECK(figure_of(r).title.starts_with("Position keeps its share in noise: "));
  const Result without = run(repeating(idle([](Tensors& t) { std::ranges::fill(t.at("wpe.weight"), 0.0f); })));
  for (const double x : data(without, "share_position")) CHECK(x < 1e-10);
  for (const double x : data(without, "share_context")) CHECK(x == Approx(1));
  CHECK(figure_of(without).title.starts_with("No position in the residual stream of noise"));
}

TEST_CASE("without positions, random texts have as much position as averaging leaves", "[position_share]") {
  studies::Inputs inputs = random_texts(idle());
  const Result as_it_is = run(inputs);
  inputs.subject.edits = {{"zero_positions", true}};
  const Result without = run(inputs);
  for (std::size_t l = 0; l < 4; ++l) {
    CHECK(data(as_it_is, "share_position")[l] > 2.5 * data(as_it_is, "share_chance")[l]);
    CHECK(data(without, "share_position")[l] < 1.3 * data(without, "share_chance")[l]);
    CHECK(data(without, "share_chance")[l] == Approx(19.0 / 159).epsilon(0.1));
  }
  CHECK(figure_of(without).title.starts_with("No position in the residual stream of noise"));
  CHECK(without.edits == std::vector<std::string>{"zero_positions"});
}

TEST_CASE("a layer that writes by position is noticed there and not before", "[position_share]") {
  // The MLP of layer 1 writes a constant vector times what it reads of dimension 0, which only position changes.
  const Result r = run(random_texts(idle([](Tensors& t) {
    const std::size_t d = kSizes.d_model;
    for (std::size_t i = 0; i < t.at("wte.weight").size(); i += d) t.at("wte.weight")[i] = 0;
    for (std::size_t i = 0; i < kSizes.n_ctx; ++i) t.at("wpe.weight")[i * d] = i % 2 == 0 ? 3.0f : -3.0f;
    auto &fc = t.at("h.1.mlp.c_fc.weight"), &proj = t.at("h.1.mlp.c_proj.weight");
    std::ranges::fill(fc, 0.0f), std::ranges::fill(t.at("h.1.mlp.c_fc.bias"), 0.0f);
    fc[0] = 1;
    for (std::size_t j = 0; j < d; ++j) proj[j] = 2;
  })));
  const auto& shares = data(r, "share_position");
  CHECK(shares[1] == Approx(shares[0]).epsilon(1e-5));
  CHECK(shares[2] > shares[1] + 0.05);
  CHECK(shares[3] == Approx(shares[2]).epsilon(1e-5));
}

TEST_CASE("the table of GPT-2 small's positions has the stable rank that was published", "[position_share][large]") {
  const Result r = run(gpt2_positions(), {{"window", "512"}});
  CHECK(number(r, "table_rank") == Approx(2.054).margin(5e-4));
  REQUIRE(r.claims.size() == 3);
  CHECK(r.claims[0].id == "SHARE-table");
  CHECK(r.claims[0].holds == true);
  for (std::size_t i : {1, 2}) CHECK(r.claims[i].needs == std::vector<std::string>{"the whole checkpoint"});
  CHECK(r.notes.front() == "This model lacks wte.weight. Shown is what the table of positions alone says.");
  CHECK(std::isnan(number(r, "position")));
  CHECK(r.scalar("position")->note == "needs a model that can run a text");
  const figure::Figure f = figure_of(r);
  CHECK(f.title == "The table of positions has a stable rank of 2.05; the layers need a model that can run");
  CHECK(f.panels.size() == 1);
  const Result all = run(gpt2_positions(), {{"window", "1024"}});
  CHECK(number(all, "table_rank") == Approx(2.968).margin(5e-4));
  CHECK(all.claims[0].holds == std::nullopt);
  const Result with_first = run(gpt2_positions(), {{"window", "512"}, {"first", "0"}});
  CHECK(with_first.claims[0].holds == std::nullopt);
  CHECK(std::abs(number(with_first, "table_rank") - 2.05) > 0.005);
}

TEST_CASE("another layer costs no second pass", "[position_share]") {
  const studies::Inputs inputs = random_texts(idle());
  const auto phases = [&](const char* layer) {
    const studies::ComputeStudy* study = studies::find_compute_study("position_share");
    ParamValues params = defaults(study->schema);
    Given given = kPrompt;
    given.push_back({"layer", layer});
    for (const auto& [key, text] : given) REQUIRE(set_value(study->schema, params, key, text, true));
    std::set<std::string> seen;
    Job<Expected<Result>> job(study->run(params, inputs));
    job.context().on_progress = [&](Progress p) { seen.emplace(p.phase); };
    while (!job.step()) {
    }
    REQUIRE(job.take());
    return seen;
  };
  CHECK(phases("1").contains("text 8 of 8"));
  CHECK(!phases("2").contains("text 1 of 8"));
}

TEST_CASE("the texts are as many and as long as there is text for, and the end is a layer", "[position_share]") {
  studies::Inputs inputs = random_texts(idle());
  inputs.subject.tokens.resize(30);
  const Result r = run(inputs, {{"text", "prompt"}, {"layer", "3"}});
  CHECK(number(r, "window") == 15);
  CHECK(number(r, "windows") == 16);  // one token apart, there are no more
  CHECK(number(r, "step") == 1);
  CHECK(r.scalar("step")->note == "the texts overlap");
  CHECK(r.scalar("layer")->note == "the end");
  CHECK(r.tokens.size() == 30);
  CHECK(r.notes.front().starts_with("The text has 30 tokens, so that each window has 15"));
  const Result beyond = run(inputs, {{"text", "prompt"}, {"layer", "9"}});
  CHECK(number(beyond, "layer") == 3);
  CHECK(beyond.notes.front() == "The end comes after layer 2, and is shown.");
  inputs.subject.tokens.resize(5);
  const auto few = run_study("position_share", inputs, {{"text", "prompt"}});
  REQUIRE(!few);
  check_sentence(few.error().sentence, "Two texts are needed, with two positions");
}

TEST_CASE("with BOS each text begins with it", "[position_share]") {
  studies::Inputs inputs = planted_inputs();
  for (int i = 0; i < 120; ++i) inputs.subject.tokens.push_back(i % 7);
  inputs.subject.bos = true;
  inputs.weights = noise_model({3, 24, 2, 100, planted_tokenizer()->size()}).weights;
  const Result r = run(inputs, {{"text", "prompt"}, {"windows", "5"}, {"window", "21"}, {"first", "1"}});
  CHECK(number(r, "window") == 21);
  CHECK(number(r, "step") == 25);
  CHECK(r.provenance.convention.find("with BOS") != std::string::npos);
  CHECK(r.array("points")->shape == std::vector<std::size_t>{4, 20, 3});
}

TEST_CASE("the words about positions follow their numbers", "[position_share]") {
  Result r = run(random_texts(idle()));
  const auto tell = [&](double start, double most, double end, double layer) {
    set(r, "position_start", start), set(r, "position_most", most), set(r, "position_end", end);
    set(r, "most_layer", layer);
    return figure_of(r).title;
  };
  CHECK(tell(0.6, 0.6, 0.1, 0) ==
        "Position fades in noise: from 60 % of the variance before layer 0 to 10 % at the end");
  CHECK(tell(0.3, 0.9, 0.9, 3) ==
        "Position grows in noise: from 30 % of the variance before layer 0 to 90 % at the end");
  CHECK(tell(0.1, 0.6, 0.2, 2) ==
        "Position is largest before layer 2 of noise: 60 % of the variance, and 20 % at the end");
  CHECK(tell(0.6, 0.6, 0.5, 0) ==
        "Position keeps its share in noise: 60 % of the variance before layer 0, 50 % at the end");
  for (auto& array : r.arrays)
    if (array.name == "share_position") array.data.back() = 0.01;
  CHECK(tell(0.6, 0.6, 0.01, 0) ==
        "Position fades in noise: from 60 % of the variance before layer 0 to no more than averaging leaves at the "
        "end");
  const auto& walks = data(r, "walk_rank");
  const auto [least, most] = std::ranges::minmax(walks);
  set(r, "stable_rank", most + 1);
  CHECK(says(figure_of(r), "It is spread over more directions than theirs."));
  set(r, "stable_rank", (least + most) / 2);
  CHECK(says(figure_of(r), "the low rank alone does not show that they were learned"));
  set(r, "stable_rank", least / 2);
  CHECK(says(figure_of(r), "It is spread over fewer directions than theirs."));
  set(r, "turns", 9), set(r, "along", 0.95);
  CHECK(says(figure_of(r), "That is a helix."));
  set(r, "along", 0.5);
  CHECK(says(figure_of(r), "That is no helix"));
  for (auto& array : r.arrays)
    if (array.name == "share_position") std::ranges::fill(array.data, 0.01);
  CHECK(figure_of(r).title.starts_with("No position in the residual stream of noise"));
}

TEST_CASE("the source's numbers hold for themselves, and fail where they are not met", "[position_share][claims]") {
  share::Params params;
  params.window = 512;
  share::Output out;
  out.table_rank = {2.054, "rows 1..511"};
  out.rank_less.data.assign(std::begin(share::kStatedRank), std::end(share::kStatedRank));
  out.norm_position.data.assign(std::begin(share::kStatedNorm), std::end(share::kStatedNorm));
  out.share_position.data.assign(share::kStatedLayers, 0.5);
  const auto verdicts = [&] {
    std::vector<std::optional<bool>> all;
    for (const protocol::Claim& claim : share::claims(params, out)) all.push_back(claim.holds);
    return all;
  };
  using Verdicts = std::vector<std::optional<bool>>;
  CHECK(verdicts() == Verdicts{true, true, true});
  CHECK(*share::claims(params, out)[1].here == Approx(1.915));
  out.table_rank.value = 2.06, out.rank_less.data[5] = 4, out.norm_position.data[10] = 0.9;
  CHECK(verdicts() == Verdicts{false, false, false});
  out.rank_less.data[5] = std::nan("");
  CHECK(verdicts() == Verdicts{false, std::nullopt, false});
  CHECK(share::claims(params, out)[1].convention.ends_with("needs more texts"));
  out.rank_less.data.resize(7), out.norm_position.data.resize(7);
  CHECK(verdicts() == Verdicts{false, std::nullopt, std::nullopt});
  params.windows = 2;
  CHECK(verdicts() == Verdicts{false});
  params.window = 128;
  CHECK(verdicts() == Verdicts{std::nullopt});
}

}  // namespace position_share_test
