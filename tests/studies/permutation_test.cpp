#include "studies/permutation/permutation.h"

#include <algorithm>
#include <numeric>

#include "studies/permutation/shuffle.h"
#include "studies/registry_view.h"
#include "tests/figure/drawings.h"
#include "tests/planted.h"

namespace permutation_test {

using namespace helix;
using namespace helix::testing;
using namespace helix::studies::permutation;
using Catch::Approx;

namespace {

using Values = std::vector<std::pair<std::string, std::string>>;

const std::vector<std::int32_t> kTokens{3, 17, 5, 40, 41, 5, 9, 28, 2, 33, 17, 8};

struct Planted {
  TinySizes sizes{3, 24, 2, 20, 60};
  Tensors tensors;
  studies::Inputs inputs = planted_inputs();

  Planted() {
    inputs.network = tiny_network(sizes, 0.3, 4, &tensors);
    inputs.session = std::make_shared<model::Sessions>();
    inputs.subject.tokens = kTokens;
  }
  Expected<protocol::Result> run(const Values& values = {}) const { return run_study("permutation", inputs, values); }

  /// The largest relative change in double, by the plain forward pass.
  double plain(const char* hook, bool positions, bool mask, const std::vector<std::size_t>& order) const {
    Tensors changed = tensors;
    if (!positions) std::ranges::fill(changed.at("wpe.weight"), 0.0f);
    std::vector<std::int32_t> tokens;
    for (const std::size_t from : order) tokens.push_back(kTokens[from]);
    PlainGpt2 model(sizes, changed);
    const Rows before = model.run(kTokens, mask).hooks.at(hook);
    const Rows after = model.run(tokens, mask).hooks.at(hook);
    double largest = 0;
    for (std::size_t j = 0; j < order.size(); ++j) {
      double square = 0, length = 0;
      for (std::size_t k = 0; k < sizes.d_model; ++k)
        square += std::pow(after[j][k] - before[order[j]][k], 2), length += std::pow(before[order[j]][k], 2);
      largest = std::max(largest, std::sqrt(square / length));
    }
    return largest;
  }
};

std::vector<std::size_t> order_of(const protocol::Result& result) {
  std::vector<std::size_t> order;
  for (const double x : result.array("order")->data) order.push_back(static_cast<std::size_t>(x));
  return order;
}

}  // namespace

TEST_CASE("a shuffle holds every place once, and is never the order as it was", "[permutation]") {
  for (std::size_t count = 2; count < 40; ++count)
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      auto order = shuffled(count, seed);
      CHECK(!std::ranges::is_sorted(order));
      CHECK(order == shuffled(count, seed));
      std::ranges::sort(order);
      for (std::size_t i = 0; i < count; ++i) CHECK(order[i] == i);
    }
  CHECK(shuffled(1, 3) == std::vector<std::size_t>{0});
  CHECK(shuffled(30, 1) != shuffled(30, 2));
}

TEST_CASE("changes are those of a token, wherever it went", "[permutation]") {
  Matrix<float> before(3, 2), after(3, 2);
  before.data = {3, 4, 0, 2, 1, 0};
  after.data = {1, 0, 3, 4, 0, 1};  // rows 2, 0, 1, the last halved
  CHECK(changes(after, before, {2, 0, 1}) == std::vector<double>{0, 0.5, 0});
  CHECK(changes(after, before, {0, 1, 2})[0] > 0.5);
  CHECK(mean_change_in_place(before, before) == 0);
  CHECK(mean_change_in_place(after, before) > 0.5);
  CHECK(relative_change(std::vector<float>{0, 0}, std::vector<float>{0, 0}) == 0);
}

TEST_CASE("only without positions and without mask do the outputs follow the tokens", "[permutation]") {
  const Planted planted;
  for (const bool positions : {true, false})
    for (const bool mask : {true, false}) {
      const auto r = planted.run({{"positions", positions ? "1" : "0"}, {"mask", mask ? "1" : "0"}});
      REQUIRE(r);
      CAPTURE(positions, mask);
      const double change = r->scalar("max_change")->value, output = r->scalar("output_change")->value;
      const auto order = order_of(*r);
      CHECK(change ==
            Approx(planted.plain("blocks.0.hook_attn_out", positions, mask, order)).epsilon(1e-4).margin(2e-6));
      CHECK(output ==
            Approx(planted.plain("ln_final.hook_normalized", positions, mask, order)).epsilon(1e-3).margin(1e-5));
      CHECK(r->array("change")->data[(positions ? 0 : 2) + (mask ? 0 : 1)] == change);
      CHECK(r->scalar("not_undone")->value > 0.5);
      for (const char* name : {"max_change", "output_change", "logit_change"})
        CHECK((r->scalar(name)->value < kNoChange) == (!positions && !mask));
      CHECK(r->claims.size() == (positions || mask ? 0 : 1));
      if (positions || mask) continue;
      CHECK(r->claims[0].id == "P1");
      CHECK(r->claims[0].holds == true);
    }
}

TEST_CASE("all cases are there whichever is chosen, and another choice takes them from memory", "[permutation]") {
  const Planted planted;
  const auto first = planted.run(), second = planted.run({{"mask", "0"}}), other = planted.run({{"seed", "9"}});
  for (const char* name : {"change", "outputs", "logits", "unmatched", "by_token", "order"})
    CHECK(first->array(name)->data == second->array(name)->data);
  CHECK(first->array("order")->data != other->array("order")->data);
  CHECK(first->array("by_token")->shape == std::vector<std::size_t>{4, kTokens.size()});
  CHECK(first->scalar("max_change")->value != second->scalar("max_change")->value);
  CHECK(first->complete);
}

TEST_CASE("the chosen case comes first, the others follow", "[permutation]") {
  const Planted planted;
  studies::Inputs inputs = planted.inputs;
  std::vector<protocol::Result> pictures;
  inputs.on_first_picture = [&](protocol::Result r) { pictures.push_back(std::move(r)); };
  const auto r = run_study("permutation", inputs, {{"positions", "0"}});
  REQUIRE(pictures.size() == 1);
  CHECK(!pictures[0].complete);
  CHECK(pictures[0].claims.empty());
  CHECK(pictures[0].scalar("max_change")->value == r->scalar("max_change")->value);
  CHECK(std::isnan(pictures[0].array("change")->data[3]));
}

TEST_CASE("an edited model is shown and not judged, and one token has no order", "[permutation]") {
  Planted planted;
  planted.inputs.subject.edits = {{"ablate_head:0.1", true}};
  const auto edited = planted.run({{"positions", "0"}, {"mask", "0"}});
  CHECK(edited->claims.empty());
  CHECK(edited->edits.size() == 1);
  CHECK(edited->scalar("max_change")->value < kNoChange);
  planted.inputs.subject.edits = {{"no_mask", true}};
  CHECK(planted.run()->notes.size() == 1);
  planted.inputs.subject.edits = {{"set_score:0.0:5:2:9", true}};  // names positions: it does not move with the tokens
  CHECK(planted.run({{"positions", "0"}, {"mask", "0"}})->scalar("max_change")->value > kNoChange);
  planted.inputs.subject.edits.clear();
  planted.inputs.subject.tokens = {3};
  check_sentence(planted.run().error().sentence, "One token has no order");
  planted.inputs.subject.tokens = {3, 4};
  CHECK(planted.run());
}

TEST_CASE("the view says what the chosen case shows", "[permutation][view]") {
  const Planted planted;
  const auto& s = *studies::find_view_study("permutation");
  const std::pair<Values, const char*> titles[] = {
      {{}, "With positions and mask, attention sees the order of the tokens"},
      {{{"mask", "0"}}, "Positions alone tell attention the order of the tokens"},
      {{{"positions", "0"}}, "The causal mask alone tells attention the order of the tokens"},
      {{{"positions", "0"}, {"mask", "0"}}, "Without positions and mask, attention does not see the order"}};
  for (const auto& [values, title] : titles) {
    const auto r = planted.run(values);
    CHECK(s.view(*r, r->params).title == title);
  }
  const auto r = planted.run();
  ViewState view;
  view.focus = {{"case", 3}};
  CHECK(s.reading(*r, r->params, view).title == "with neither");
  view.focus = {{"position", 2}};
  CHECK(s.reading(*r, r->params, view).lines.size() == 4);
  const figure::Figure f = s.view(*r, r->params);
  CHECK(f.panels.size() == 4);
  CHECK(f.tables[1].columns[2].values.size() == kTokens.size());
  CHECK(s.view(protocol::Result(), {}).title == "Shuffled tokens");
}

TEST_CASE("what an edit removes in every case is not said to be there", "[permutation][view]") {
  Planted planted;
  const auto& s = *studies::find_view_study("permutation");
  const auto title = [&](const char* edit, const Values& values) {
    planted.inputs.subject.edits = {{edit, true}};
    const auto r = planted.run(values);
    REQUIRE(r);
    return s.view(*r, r->params).title;
  };
  CHECK(title("zero_positions", {}) == "The causal mask alone tells attention the order of the tokens, with 1 edit");
  CHECK(title("no_mask", {}) == "Positions alone tell attention the order of the tokens, with 1 edit");
  CHECK(title("no_mask", {{"positions", "0"}}) ==
        "Without positions and mask, attention does not see the order, with 1 edit");
  // An edit that names positions tells the order in every case: no sentence calls its change rounding.
  planted.inputs.subject.edits = {{"set_score:0.0:5:2:9", true}};
  const auto r = planted.run({{"positions", "0"}, {"mask", "0"}});
  const figure::Figure f = s.view(*r, r->params);
  CHECK(f.title.starts_with("Shuffling changes the attention output by "));
  for (const figure::Note& note : f.notes) CHECK(note.text.find("what remains is rounding") == std::string::npos);
  planted.inputs.subject.edits.clear();
  const auto plain = planted.run();
  const auto notes = s.view(*plain, plain->params).notes;
  CHECK(std::ranges::any_of(
      notes, [](const figure::Note& note) { return note.text.find("what remains is rounding") != std::string::npos; }));
}

}  // namespace permutation_test
