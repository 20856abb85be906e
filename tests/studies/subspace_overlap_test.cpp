#include "studies/subspace_overlap/subspace_overlap.h"

#include <set>

#include "base/text.h"
#include "figure/table.h"
#include "studies/matrices_compute.h"
#include "studies/registry_view.h"
#include "studies/subspace_overlap/blur.h"
#include "studies/subspace_overlap/claims.h"
#include "tests/figure/drawings.h"
#include "tests/noise_model.h"

namespace subspace_overlap_test {

using namespace helix;
using namespace helix::testing;
using protocol::Array;
using protocol::Result;

namespace {

using PlantedChange = std::function<void(Tensors&)>;
constexpr TinySizes kSizes{2, 24, 3, 40, 60};

studies::Inputs inputs_of(const PlantedChange& change = {}, const std::string& without = {}) {
  return noise_model(kSizes, change, without);
}

Result overlap_of(const studies::Inputs& inputs, const std::vector<std::pair<std::string, std::string>>& values = {}) {
  auto result = run_study("subspace_overlap", inputs, values);
  REQUIRE(result);
  return *result;
}

double value(const Result& result, const char* name) { return result.scalar(name)->value; }

std::string sentence_of(const studies::Inputs& inputs, const std::vector<std::pair<std::string, std::string>>& values) {
  const auto failed = run_study("subspace_overlap", inputs, values);
  REQUIRE(!failed);
  check_sentence(failed.error().sentence);
  return failed.error().sentence;
}

const studies::ViewStudy& view_study() { return *studies::find_view_study("subspace_overlap"); }

figure::Figure figure_of(const Result& result) { return view_study().view(result, result.params); }

figure::Reading reading_of(const Result& result, const Focus& focus) {
  return view_study().reading(result, result.params, focused(focus));
}

const figure::Plot& plot_of(const figure::Figure& f, const char* id) {
  const figure::Panel* panel = f.find(id);
  REQUIRE(panel);
  return std::get<figure::Plot>(panel->content);
}

const figure::Cells& cells_of(const figure::Plot& plot) { return std::get<figure::Cells>(plot.marks.front()); }

}  // namespace

TEST_CASE("whole bases overlap in a doubly stochastic matrix", "[subspace_overlap]") {
  const studies::Inputs inputs = inputs_of();
  for (const char* a : {"wpe", "wte", "q", "k", "v", "o", "fc", "mlp"})
    for (const char* blur : {"0", "1.5"}) {
      CAPTURE(a, blur);
      const Result result = overlap_of(inputs, {{"a", a}, {"b", "wte"}, {"layer", "1"}, {"blur", blur}});
      const Array& overlap = *result.array("overlap");
      REQUIRE(overlap.shape == std::vector<std::size_t>{24, 24});
      CHECK(overlap.first == 1);
      for (std::size_t i = 0; i < 24; ++i) {
        double row = 0, column = 0;
        for (std::size_t j = 0; j < 24; ++j) row += overlap.data[i * 24 + j], column += overlap.data[j * 24 + i];
        CHECK(std::abs(row - 1) < 1e-12);
        CHECK(std::abs(column - 1) < 1e-12);
      }
      CHECK(value(result, "row_sum_error") < 1e-12);
      CHECK(value(result, "chance") == 1 / 24.0);
    }
}

TEST_CASE("a matrix overlaps with itself along the diagonal", "[subspace_overlap]") {
  const Result result = overlap_of(inputs_of(), {{"a", "k"}, {"b", "k"}, {"count_a", "5"}, {"count_b", "9"}});
  for (std::size_t i = 0; i < 24 * 24; ++i)
    CHECK(std::abs(result.array("overlap")->data[i] - (i % 25 == 0 ? 1 : 0)) < 1e-12);
  CHECK(std::abs(value(result, "held_first") - 5) < 1e-12);
  CHECK(std::abs(value(result, "held_last")) < 1e-12);
  CHECK(std::abs(value(result, "held_chance") - 5 * 9 / 24.0) < 1e-12);
  CHECK(std::abs(value(result, "corner") - 1) < 1e-12);
}

TEST_CASE("a planted direction is found on its side, and noise has none", "[subspace_overlap]") {
  // Direction 3 of the residual stream is wpe's largest, and the first input W_Q reads and W_O writes to.
  const studies::Inputs planted = inputs_of([](Tensors& t) {
    for (std::size_t p = 0; p < kSizes.n_ctx; ++p) t.at("wpe.weight")[p * 24 + 3] += 20;
    for (std::size_t j = 0; j < 24; ++j) t.at("h.0.attn.c_attn.weight")[3 * 72 + j] += 20;
    for (std::size_t i = 0; i < 24; ++i) t.at("h.0.attn.c_proj.weight")[i * 24 + 3] += 20;
  });
  const auto first = [](const studies::Inputs& inputs, const char* a, const char* side) {
    return overlap_of(inputs, {{"a", a}, {"b", "wpe"}, {"side", side}}).array("overlap")->data[0];
  };
  CHECK(first(planted, "q", "residual") > 0.99);
  CHECK(first(planted, "o", "residual") > 0.99);
  CHECK(first(planted, "q", "other") < 0.5);
  CHECK(first(planted, "o", "other") < 0.5);
  CHECK(first(planted, "k", "residual") < 0.5);
  const studies::Inputs noise = inputs_of();
  CHECK(first(noise, "q", "residual") < 0.5);
  CHECK(first(noise, "o", "residual") < 0.5);
}

TEST_CASE("the gain of the LayerNorm in front is folded into what it feeds", "[subspace_overlap]") {
  // Unfolded, W_Q reads direction 3 most; its gain silences it.
  const studies::Inputs inputs = inputs_of([](Tensors& t) {
    for (std::size_t p = 0; p < kSizes.n_ctx; ++p) t.at("wpe.weight")[p * 24 + 3] += 20;
    for (std::size_t j = 0; j < 24; ++j) t.at("h.0.attn.c_attn.weight")[3 * 72 + j] += 20;
    t.at("h.0.ln_1.weight")[3] = 0;
    t.at("ln_f.weight")[5] = 1000;
  });
  const Result raw = overlap_of(inputs, {{"a", "q"}, {"b", "wpe"}});
  const Result folded = overlap_of(inputs, {{"a", "q"}, {"b", "wpe"}, {"gain", "1"}});
  CHECK(raw.array("overlap")->data[0] > 0.99);
  CHECK(folded.array("overlap")->data[23 * 24] > 0.99);  // now the last direction: nothing reads it
  CHECK(folded.words_of("names_a")->data[0] == "W_Q of layer 0, ln_1 gain folded in");
  CHECK(folded.words_of("names_b")->data[0] == "wpe");
  // With its gain wte writes along axis 5, which W_Q with its gain also reads a little.
  const Result head = overlap_of(inputs, {{"a", "wte"}, {"b", "wte"}, {"gain", "1"}});
  CHECK(head.words_of("names_a")->data[0] == "wte, ln_f gain folded in");
  for (const char* a : {"wpe", "o", "mlp"})
    CHECK(sentence_of(inputs, {{"a", a}, {"b", "wpe"}, {"gain", "1"}}).find("gain") != std::string::npos);
}

TEST_CASE("centring takes the mean row of a table and the all-ones direction of a weight", "[subspace_overlap]") {
  const studies::Inputs inputs = inputs_of([](Tensors& t) {
    for (float& x : t.at("wpe.weight")) x += 5;
    for (float& x : t.at("h.0.mlp.c_fc.weight")) x += 5;
    for (float& x : t.at("h.0.mlp.c_proj.weight")) x += 5;
  });
  for (const char* b : {"fc", "mlp"}) {
    CAPTURE(b);
    // Both have a large mean, along the all-ones direction of the residual stream …
    CHECK(overlap_of(inputs, {{"a", "wpe"}, {"b", b}}).array("overlap")->data[0] > 0.99);
    // … and without it, a weight has no component along that direction: it is the last one.
    const Result centred = overlap_of(inputs, {{"a", b}, {"b", "fc"}, {"centre", "1"}});
    CHECK(centred.array("overlap")->data[23 * 24 + 23] > 1 - 1e-9);
    CHECK(overlap_of(inputs, {{"a", "wpe"}, {"b", b}, {"centre", "1"}}).array("overlap")->data[0] < 0.9);
  }
}

TEST_CASE("a head is its own part", "[subspace_overlap]") {
  const std::size_t d_head = 8;
  const studies::Inputs inputs = inputs_of([](Tensors& t) {
    auto &qkv = t.at("h.1.attn.c_attn.weight"), &o = t.at("h.1.attn.c_proj.weight");
    for (std::size_t j = 0; j < 8; ++j) qkv[11 * 72 + 24 + 2 * 8 + j] += 20;  // W_K, head 2 reads axis 11
    for (std::size_t i = 0; i < 8; ++i) o[(8 + i) * 24 + 11] += 20;           // W_O, head 1 writes axis 11
    for (std::size_t p = 0; p < kSizes.n_ctx; ++p) t.at("wpe.weight")[p * 24 + 11] += 20;
  });
  const auto run = [&](const char* a, const char* head) {
    return overlap_of(inputs, {{"a", a}, {"b", "wpe"}, {"layer", "1"}, {"head", head}});
  };
  for (const char* head : {"0", "1", "2"}) {
    CAPTURE(head);
    const Result k = run("k", head), o = run("o", head);
    REQUIRE(k.array("overlap")->shape == std::vector<std::size_t>{d_head, 24});
    CHECK((k.array("overlap")->data[0] > 0.99) == (head[0] == '2'));
    CHECK((o.array("overlap")->data[0] > 0.99) == (head[0] == '1'));
    CHECK(value(k, "row_sum_error") < 1e-12);  // wpe's directions are a whole basis
    CHECK(std::abs(value(k, "held_chance") - 8 * 24 / 24.0) < 1e-12);
  }
  const Result heads = overlap_of(inputs, {{"a", "k"}, {"b", "q"}, {"layer", "1"}, {"head", "0"}});
  CHECK(std::isnan(value(heads, "row_sum_error")));
  CHECK(heads.scalar("row_sum_error")->note == "neither side is a whole basis");
  CHECK(sentence_of(inputs, {{"a", "k"}, {"head", "3"}}) == "There is no head 3; the last one is 2.");
  CHECK(sentence_of(inputs, {{"a", "k"}, {"layer", "2"}}) == "There is no layer 2; the last one is 1.");
  static_cast<void>(sentence_of(inputs, {{"a", "fc"}, {"b", "wpe"}, {"head", "0"}}));
  studies::Inputs unknown = inputs;
  unknown.size->n_head = 0;
  CHECK(sentence_of(unknown, {{"a", "k"}, {"head", "0"}}).find("config.json") != std::string::npos);
}

TEST_CASE("several matrices stand in a grid, each pair as it is alone", "[subspace_overlap]") {
  const studies::Inputs inputs = inputs_of();
  const Result grid = overlap_of(inputs, {{"a", "attention"}, {"b", "tables"}, {"count_a", "7"}, {"count_b", "4"}});
  const Array& panels = *grid.array("panels");
  REQUIRE(panels.shape == std::vector<std::size_t>{4, 2, 24, 24});
  REQUIRE(grid.array("corners")->shape == std::vector<std::size_t>{4, 2});
  const char *rows[] = {"q", "k", "v", "o"}, *cols[] = {"wpe", "wte"};
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = 0; j < 2; ++j) {
      const Result alone =
          overlap_of(inputs_of(), {{"a", rows[i]}, {"b", cols[j]}, {"count_a", "7"}, {"count_b", "4"}});
      const auto begin = panels.data.begin() + static_cast<std::ptrdiff_t>((i * 2 + j) * 576);
      CHECK(std::vector<double>(begin, begin + 576) == alone.array("overlap")->data);
      CHECK(grid.array("corners")->data[i * 2 + j] == value(alone, "corner"));
      CHECK(grid.array("held_first_by_pair")->data[i * 2 + j] == value(alone, "held_first"));
      CHECK(grid.array("held_last_by_pair")->data[i * 2 + j] == value(alone, "held_last"));
      if (i + j == 0) CHECK(grid.array("overlap")->data == alone.array("overlap")->data);
    }
  CHECK(grid.words_of("names_a")->data.size() == 4);
  CHECK(grid.words_of("names_b")->data[1] == "wte");
  // A head has fewer directions than a table: the unfilled part of its panel is NaN.
  const Result head = overlap_of(inputs, {{"a", "attention"}, {"b", "tables"}, {"head", "1"}});
  CHECK(std::isfinite(head.array("panels")->data[7 * 24 + 23]));
  CHECK(std::isnan(head.array("panels")->data[8 * 24]));
}

TEST_CASE("what a model does not hold is left out of a grid, and a sentence where it is all", "[subspace_overlap]") {
  const studies::Inputs inputs = inputs_of({}, "wte.weight");
  CHECK(sentence_of(inputs, {}).find("wte.weight") != std::string::npos);
  CHECK(sentence_of(inputs, {{"a", "attention"}}).find("wte.weight") != std::string::npos);
  const Result rest = overlap_of(inputs, {{"a", "attention"}, {"b", "tables"}});
  CHECK(rest.array("panels")->shape[1] == 1);
  REQUIRE(rest.notes.size() == 1);
  check_sentence(rest.notes[0], "wte.weight");
  studies::Inputs nothing = inputs;
  nothing.weights.reset();
  CHECK(sentence_of(nothing, {}).find("No model is open") == 0);
  const studies::Inputs broken = inputs_of([](Tensors& t) { t.at("wpe.weight")[100] = NAN; });
  CHECK(sentence_of(broken, {}).find("wpe") != std::string::npos);
}

TEST_CASE("sides that lie in different spaces are not compared", "[subspace_overlap]") {
  const studies::Inputs inputs = inputs_of();
  CHECK(sentence_of(inputs, {{"a", "fc"}, {"b", "wpe"}, {"side", "other"}}).find("different spaces") !=
        std::string::npos);
  CHECK(sentence_of(inputs, {{"a", "wpe"}, {"b", "wte"}, {"side", "other"}}).find("different spaces") !=
        std::string::npos);
  const Result neurons = overlap_of(inputs, {{"a", "fc"}, {"b", "mlp"}, {"side", "other"}});
  CHECK(value(neurons, "chance") == 1 / 96.0);
  CHECK(std::isnan(value(neurons, "row_sum_error")));
}

TEST_CASE("the tensors that were read are named, and directions are kept", "[subspace_overlap]") {
  const studies::Inputs inputs = inputs_of();
  const Result first = overlap_of(inputs, {{"a", "q"}, {"b", "wte"}, {"gain", "1"}});
  std::set<std::string> names;
  for (const auto& tensor : first.provenance.tensors) {
    names.insert(tensor.name);
    CHECK(tensor.sha256.size() == 64);
  }
  CHECK(names == std::set<std::string>{"h.0.attn.c_attn.weight", "h.0.ln_1.weight", "ln_f.weight", "wte.weight"});
  CHECK(first.provenance.precision == "F32");
  const auto steps = [](const studies::Inputs& with) {
    const auto* study = studies::find_compute_study("subspace_overlap");
    Job<Expected<Result>> job(study->run(values_of(study->schema, {{"a", "q"}, {"blur", "2"}}), with));
    int count = 0;
    job.context().should_pause = [&] { return ++count, true; };
    while (!job.step()) {
    }
    return count;
  };
  const int fresh = steps(inputs), again = steps(inputs);
  CHECK(again < fresh);
}

TEST_CASE("a blur keeps what rows and columns add up to, and is a Gaussian inside", "[subspace_overlap]") {
  using studies::subspace_overlap::blurred;
  Matrix<double> dot(41, 33);
  dot(20, 16) = 1;
  const Matrix<double> spread = run_to_end(blurred(dot, 2));
  const auto gauss = [](double t) { return std::exp(-t * t / 8); };
  double total = 0;
  for (int t = -8; t <= 8; ++t) total += gauss(t);
  for (std::size_t i = 0; i < 41; ++i)
    for (std::size_t j = 0; j < 33; ++j) {
      const double y = static_cast<double>(i) - 20, x = static_cast<double>(j) - 16;
      const double expected = std::abs(y) <= 8 && std::abs(x) <= 8 ? gauss(y) * gauss(x) / total / total : 0;
      CHECK(std::abs(spread(i, j) - expected) < 1e-15);
    }
  CHECK(run_to_end(blurred(dot, 0)).data == dot.data);
  // Far wider than the matrix: everything is mirrored many times, and the sum is preserved.
  Matrix<double> corner(3, 5);
  corner(0, 0) = 1, corner(2, 4) = 2;
  for (const double sigma : {0.1, 0.4, 3.0, 20.0}) {
    double sum = 0;
    for (const double x : run_to_end(blurred(corner, sigma)).data) sum += x;
    CHECK(std::abs(sum - 3) < 1e-12);
  }
}

TEST_CASE("the map of one pair shows every direction, and says each number", "[subspace_overlap][view]") {
  const Result result = overlap_of(inputs_of(), {{"a", "q"}, {"b", "wpe"}, {"blur", "1"}});
  const figure::Figure f = figure_of(result);
  const double closest = result.scalar("corner")->value;
  const double random = std::ranges::max(result.array("random_corner")->data);
  CHECK(f.title == "The largest directions of W_Q and wpe are not clearly closer than random ones: overlap " +
                       to_fixed(closest, 4) + ", random at most " + to_fixed(random, 4));
  Result close = result;
  const auto corner = std::ranges::find(close.scalars, "corner", &protocol::Scalar::name);
  const auto corners = std::ranges::find(close.arrays, "corners", &protocol::Array::name);
  REQUIRE(corners != close.arrays.end());
  corner->value = corners->data[0] = 1.6 * random;
  CHECK(figure_of(close).title == "The largest directions of W_Q and wpe overlap by " + to_fixed(1.6 * random, 4) +
                                      ", random ones by at most " + to_fixed(random, 4));
  CHECK(f.subtitle.find("weights of layer 0; blurred by 1 directions. Chance is 0.0417.") != std::string::npos);
  const figure::Plot& map = plot_of(f, "overlap");
  CHECK(map.x.title == "direction of wpe");
  CHECK(map.y.title == "direction of W_Q");
  CHECK(map.x.first == 1);
  CHECK(map.y.count == 24);
  const Array& overlap = *result.array("overlap");
  const auto largest = std::max_element(overlap.data.begin(), overlap.data.end()) - overlap.data.begin();
  const auto row = static_cast<std::size_t>(largest) / 24, col = static_cast<std::size_t>(largest) % 24;
  CHECK((*cells_of(map).cells.front())(row, col) == 255);
  const figure::Drawing d = drawn(f, 900);
  const figure::Rect cell = d.rect_of({{"a", static_cast<int>(row) + 1}, {"b", static_cast<int>(col) + 1}}, "overlap");
  REQUIRE(cell.w > 0);
  const figure::Reading said = reading_of(result, picked(d, middle(cell)));
  CHECK(said.title == "W_Q direction " + std::to_string(row + 1) + " × wpe direction " + std::to_string(col + 1));
  REQUIRE(said.lines.size() == 1);
  CHECK(said.lines[0] == "squared dot product  " + to_fixed(overlap.data[row * 24 + col], 4) + ", " +
                             to_fixed(overlap.data[row * 24 + col] * 24, 1) + " × chance");
  CHECK(reading_of(result, {{"a", 25}, {"b", 1}}).title.empty());
  REQUIRE(f.tables.size() > 2);
  CHECK(!f.tables[0].open);
  CHECK(figure::cell(f.tables[1].columns[0], 0) == std::to_string(row + 1));
  check_labels(d);
}

TEST_CASE("maps of several pairs share their colours and one bar, and each leads to its pair",
          "[subspace_overlap][view]") {
  const Result result = overlap_of(inputs_of(), {{"a", "attention"}, {"b", "tables"}});
  const figure::Figure f = figure_of(result);
  CHECK(f.title == "In none of 8 pairs are the largest directions clearly closer than random ones");
  Result close = result;
  const auto corners = std::ranges::find(close.arrays, "corners", &protocol::Array::name);
  REQUIRE(corners != close.arrays.end());
  corners->data[2] = 0.9;
  CHECK(figure_of(close).title.starts_with(
      "Of 8 pairs, W_K and wpe are closest in their largest directions: overlap 0.9000, random at most "));
  REQUIRE(f.panels.size() == 9);
  for (std::size_t i = 0; i < 8; ++i) {
    const auto& plot = std::get<figure::Plot>(f.panels[i].content);
    REQUIRE(plot.colour);
    CHECK(plot.colour->range.high == plot_of(f, "q_wpe").colour->range.high);
    CHECK(plot.colour->id == plot_of(f, "colours").colour->id);
  }
  CHECK(f.find("k_wte")->title == "W_K × wte");
  CHECK(plot_of(f, "k_wte").x.title == "direction of wte");
  CHECK(plot_of(f, "k_wte").gestures.back().text == "a=k&b=wte");
  for (const float width : {1000.0f, 362.0f}) {
    CAPTURE(width);
    const figure::Drawing d = drawn(f, width);
    check_labels(d);
    std::size_t bars = 0;
    for (const auto& block : d.blocks) bars += has_label(block, "squared dot product");
    CHECK(bars == 1);
    const auto &q = block_of(d, "q_wpe"), &k = block_of(d, "k_wpe"), &other = block_of(d, "q_wte");
    CHECK((width > 560 ? k.rect.y == q.rect.y : other.rect.y == q.rect.y));  // on a phone, a row for each matrix of a
    // The same directions in two maps are distinguished.
    const figure::Rect cell = d.rect_of({{"matrix_a", 1}, {"matrix_b", 1}, {"a", 3}, {"b", 5}}, "k_wte");
    REQUIRE(cell.w > 0);
    const figure::Reading said = reading_of(result, picked(d, middle(cell)));
    CHECK(said.title == "W_K direction 3 × wte direction 5");
    CHECK(said.lines[0].find(to_fixed(result.array("panels")->data[(3 * 24 + 2) * 24 + 4], 4)) != std::string::npos);
  }
  CHECK(reading_of(result, {{"a", 3}, {"b", 5}}).lines.size() == 8);
  REQUIRE(!f.tables.empty());
  CHECK(f.tables[0].open);
  CHECK(f.tables[0].go[3] == "from=here&a=k&b=wte");
}

TEST_CASE("a map of means counts directions, not its cells", "[subspace_overlap][view]") {
  Result result = overlap_of(inputs_of(), {{"a", "attention"}, {"b", "tables"}});
  for (protocol::Scalar& s : result.scalars)
    if (s.name == "pooled") s.value = 6;
  for (protocol::Array& a : result.arrays)
    if (a.name == "directions_a" || a.name == "directions_b") std::fill(a.data.begin(), a.data.end(), 140);
  const figure::Figure f = figure_of(result);
  const figure::Plot& map = plot_of(f, "q_wpe");
  CHECK(map.x.count == 140);
  CHECK(cells_of(map).cells.front()->pooled == 6);
  CHECK(cells_of(map).cells.front()->rows == 24);  // the last one stands for two directions
  const double* panel = result.array("panels")->data.data();
  const figure::Reading said = reading_of(result, {{"a", 8}, {"b", 13}, {"matrix_a", 0}, {"matrix_b", 0}});
  REQUIRE(said.lines.size() == 1);
  CHECK(said.lines[0].find("mean around it  " + to_fixed(panel[24 + 2], 4)) == 0);
}

TEST_CASE("the claims are judged on the pairs they speak of", "[subspace_overlap]") {
  const auto claim = [](const Result& result, const char* id) -> const protocol::Claim* {
    for (const auto& c : result.claims)
      if (c.id == id) return &c;
    return nullptr;
  };
  // The first axes belong to the positions alone, and Q and K read the very first of them.
  const PlantedChange change = [](Tensors& t) {
    for (std::size_t i = 0; i < t.at("wpe.weight").size(); ++i) t.at("wpe.weight")[i] *= i % 24 == 3 ? 50.0f : 1.0f;
    for (std::size_t j = 0; j < 48; ++j) t.at("h.0.attn.c_attn.weight")[3 * 72 + j] += 20;
  };
  const Result heads = overlap_of(inputs_of(change), {{"a", "attention"}, {"b", "wpe"}});
  REQUIRE(claim(heads, "O4"));
  CHECK(claim(heads, "O4")->holds == true);
  CHECK(*claim(heads, "O4")->here > 0.9);
  CHECK(!claim(heads, "O3"));
  const Result noise = overlap_of(inputs_of(), {{"a", "wpe"}, {"b", "attention"}});  // in either order
  REQUIRE(claim(noise, "O4"));
  CHECK(claim(noise, "O4")->holds == false);
  CHECK(claim(overlap_of(inputs_of()), "O3"));
  CHECK(claim(overlap_of(inputs_of(), {{"a", "fc"}, {"b", "tables"}}), "O5"));
  CHECK(overlap_of(inputs_of(), {{"a", "attention"}, {"b", "wpe"}, {"layer", "1"}}).claims.empty());
  CHECK(overlap_of(inputs_of(), {{"a", "o"}, {"b", "wpe"}, {"side", "other"}}).claims.empty());
}

TEST_CASE("what is top and bottom of two bases", "[subspace_overlap]") {
  using studies::subspace_overlap::Masses;
  Matrix<double> mirrored(300, 300);  // the first direction of one is the last of the other
  for (std::size_t i = 0; i < 300; ++i) mirrored(i, 299 - i) = 1;
  Masses masses(1, 2);
  masses.add(0, 1, mirrored, 300);
  const auto& c = masses(0, 1);
  CHECK(c.dot == 0);
  CHECK(c.a_in_bottom_b == 30);
  CHECK(c.b_in_bottom_a == 30);
  CHECK(c.a_in_top_b == 0);
  CHECK(c.b_in_top_a == 0);
  CHECK(c.a_chance == 10);
}

TEST_CASE("a model that keeps few components of its positions is said to", "[subspace_overlap]") {
  const studies::Inputs inputs = inputs_of([](Tensors& t) {
    auto& wpe = t.at("wpe.weight");  // rank 5, plus rounding
    for (std::size_t i = 0; i < wpe.size(); ++i)
      wpe[i] = i % 24 < 5 ? static_cast<float>(std::sin(static_cast<double>(i * i + 1))) : wpe[i] * 1e-4f;
  });
  const Result result = overlap_of(inputs);
  REQUIRE(result.notes.size() == 1);
  check_sentence(result.notes[0], "After the first 5 directions of wpe");
  CHECK(overlap_of(inputs, {{"a", "wpe"}, {"b", "wpe"}}).notes.size() == 1);
  CHECK(overlap_of(inputs_of()).notes.empty());
}

}  // namespace subspace_overlap_test
