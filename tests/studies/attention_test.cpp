#include "studies/attention/attention.h"

#include "base/text.h"
#include "protocol/difference.h"
#include "studies/registry_view.h"
#include "tests/figure/drawings.h"
#include "tests/planted.h"

namespace attention_test {

using namespace helix;
using namespace helix::testing;

namespace {

studies::Inputs with_tokens(std::size_t n) {
  studies::Inputs inputs = planted_inputs();
  for (std::size_t i = 0; i < n; ++i) inputs.subject.tokens.push_back(static_cast<std::int32_t>((i * 13) % 200));
  return inputs;
}

const studies::ViewStudy& view_study() { return *studies::find_view_study("attention"); }

/// A model without positions on copies of one token: every head attends to all that it sees equally.
studies::Inputs uniform_heads(std::size_t n) {
  studies::Inputs inputs = planted_inputs();
  inputs.subject.tokens.assign(n, 5);
  inputs.subject.edits = {{"zero_positions", true}};
  return inputs;
}

/// The same result with other means.
protocol::Result with_means(protocol::Result result, const Given& means) {
  for (const auto& [name, value] : means)
    std::ranges::find(result.scalars, name, &protocol::Scalar::name)->value = *parse_real(value);
  return result;
}

}  // namespace

TEST_CASE("rows of a pattern are probabilities of what came before", "[attention]") {
  const auto result = run_study("attention", with_tokens(30), {{"layer", "2"}, {"head", "1"}});
  REQUIRE(result);
  const protocol::Array& pattern = *result->array("pattern");
  REQUIRE(pattern.shape == std::vector<std::size_t>{30, 30});
  double previous = 0, self = 0, first = 0;
  for (std::size_t i = 0; i < 30; ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < 30; ++j) {
      sum += pattern.data[i * 30 + j];
      if (j > i) CHECK(pattern.data[i * 30 + j] == 0);
    }
    CHECK(std::abs(sum - 1) < 1e-5);
    if (i > 0) previous += pattern.data[i * 30 + i - 1] / 29;
    if (i > 0) self += pattern.data[i * 30 + i] / 29;  // row 0 can only attend to itself
    if (i > 0) first += pattern.data[i * 30] / 29;     // for row 1 it is the previous token too
  }
  CHECK(std::abs(result->scalar("self")->value - self) < 1e-12);
  CHECK(std::abs(result->scalar("first")->value - first) < 1e-12);
  CHECK(std::abs(result->scalar("previous")->value - previous) < 1e-12);
  CHECK(result->array("previous_by_head")->data[2 * 2 + 1] == result->scalar("previous")->value);
}

TEST_CASE("stages follow from each other", "[attention]") {
  const auto stage = [](const char* name) {
    return *run_study("attention", with_tokens(9), {{"layer", "1"}, {"stage", name}})->array("pattern");
  };
  const auto raw = stage("scores"), masked = stage("masked"), pattern = stage("pattern");
  for (std::size_t i = 0; i < 9; ++i) {
    double sum = 0;
    for (std::size_t j = 0; j <= i; ++j) sum += std::exp(raw.data[i * 9 + j]);
    for (std::size_t j = 0; j < 9; ++j) {
      CHECK(masked.data[i * 9 + j] == (j > i ? -HUGE_VAL : raw.data[i * 9 + j]));
      CHECK(std::isfinite(raw.data[i * 9 + j]));
      const double expected = j > i ? 0 : std::exp(raw.data[i * 9 + j]) / sum;
      CHECK(std::abs(pattern.data[i * 9 + j] - expected) < 1e-6);
    }
  }
}

TEST_CASE("the glance at all heads holds the largest entry of each cell, whichever head is chosen", "[attention]") {
  const std::size_t n = 60;  // pooled by three
  studies::Inputs inputs = with_tokens(n);
  std::vector<std::vector<double>> patterns;
  for (const char* layer : {"2", "0", "1"})
    for (const char* head : {"0", "1"}) {
      const auto result = run_study("attention", inputs, {{"layer", layer}, {"head", head}});
      REQUIRE(result);
      CHECK(result->scalar("pooled")->value == 3);
      const protocol::Array &heads = *result->array("heads"), &pattern = *result->array("pattern");
      REQUIRE(heads.shape == std::vector<std::size_t>{3, 2, 20, 20});
      const std::size_t at = static_cast<std::size_t>(layer[0] - '0') * 2 + static_cast<std::size_t>(head[0] - '0');
      for (std::size_t i = 0; i < 20; ++i)
        for (std::size_t j = 0; j < 20; ++j) {
          double most = 0;
          for (std::size_t a = 0; a < 9; ++a) most = std::max(most, pattern.data[(i * 3 + a / 3) * n + j * 3 + a % 3]);
          CHECK(heads.data[(at * 20 + i) * 20 + j] == most);
        }
      // Cached patterns equal those of a new run.
      const auto alone = run_study("attention", with_tokens(n), {{"layer", layer}, {"head", head}});
      CHECK(alone->array("heads")->data == heads.data);
      CHECK(alone->array("pattern")->data == pattern.data);
    }
  inputs.subject.edits.push_back({"ablate_head:0.0", true});
  const auto edited = run_study("attention", inputs, {{"layer", "1"}});
  CHECK(edited->array("heads")->data != run_study("attention", with_tokens(n))->array("heads")->data);
}

TEST_CASE("one token looks at itself", "[attention]") {
  const auto result = run_study("attention", with_tokens(1));
  REQUIRE(result);
  CHECK(result->array("pattern")->data == std::vector<double>{1});
  CHECK(std::isnan(result->scalar("previous")->value));
  CHECK(result->scalar("previous")->note == "needs two tokens");
  CHECK(std::isnan(result->scalar("self")->value));  // its only key is itself
  CHECK(result->scalar("induction")->note == "needs a token that occurs again");
}

TEST_CASE("induction is the attention to what followed the same token earlier", "[attention]") {
  studies::Inputs inputs = planted_inputs();
  inputs.subject.tokens = {5, 6, 7, 5, 6, 9, 9, 5, 8, 5};
  const auto result = run_study("attention", inputs, {{"layer", "1"}, {"head", "1"}});
  REQUIRE(result);
  const auto a = [&](std::size_t q, std::size_t k) { return result->array("pattern")->data[q * 10 + k]; };
  // The second 9 follows the first at once, and the key after the 5 in “5, 8, 5” is the previous token: neither counts.
  const double sum = a(3, 1) + a(4, 2) + (a(7, 1) + a(7, 4)) + (a(9, 1) + a(9, 4));
  CHECK(std::abs(result->scalar("induction")->value - sum / 4) < 1e-12);
  CHECK(result->scalar("repeats")->value == 4);
  CHECK(result->edits.empty());
  inputs.subject.edits = {{"ablate_head:0.0", true}, {"zero_positions", false}};
  CHECK(run_study("attention", inputs)->edits == std::vector<std::string>{"ablate_head:0.0"});
}

TEST_CASE("a head that attends evenly has the chance level in every mean, and is never called anything",
          "[attention][view]") {
  for (const std::size_t n : {2u, 3u, 4u, 7u, 16u, 60u}) {
    CAPTURE(n);
    const auto result = run_study("attention", uniform_heads(n), {{"layer", "1"}});
    REQUIRE(result);
    double one_key = 0;
    for (std::size_t q = 1; q < n; ++q) one_key += 1 / static_cast<double>(q + 1) / static_cast<double>(n - 1);
    for (const char* name : {"previous", "self", "first"}) {
      CHECK(result->scalar(name)->value == Catch::Approx(one_key).epsilon(1e-5));
      CHECK(result->scalar(std::string("even_") + name)->value == Catch::Approx(one_key).epsilon(1e-12));
    }
    if (n > 3)
      CHECK(result->scalar("induction")->value == Catch::Approx(result->scalar("even_induction")->value).epsilon(1e-5));
    const figure::Figure f = view_study().view(*result, result->params);
    CHECK(f.title == "No dominant pattern in head 1.0, with 1 edit");
    CHECK(f.summary.find("even attention gives each of them " + percent_text(one_key, 1)) != std::string::npos);
  }
}

TEST_CASE("without the mask even attention is one of all tokens", "[attention]") {
  studies::Inputs inputs = with_tokens(8);
  inputs.subject.edits = {{"no_mask", true}};
  CHECK(run_study("attention", inputs)->scalar("even_first")->value == Catch::Approx(1.0 / 8));
}

TEST_CASE("a head is named by a pattern that has two fifths of its attention and twice what even attention has",
          "[attention][view]") {
  const auto result = run_study("attention", with_tokens(30));
  REQUIRE(result);
  const auto title = [&](const Given& means) {
    const auto changed = with_means(*result, means);
    return view_study().view(changed, changed.params).title;
  };
  const Given none{{"previous", "0.1"}, {"self", "0.1"}, {"first", "0.1"}};
  const auto previous = [&](const char* here, const char* even) {
    Given means = none;
    means[0].second = here, means.push_back({"even_previous", even});
    return title(means);
  };
  CHECK(title(none) == "No dominant pattern in head 0.0");
  CHECK(previous("0.4", "0.19") == "Head 0.0 attends to the previous token: 40.0 %");
  CHECK(previous("0.39", "0.01") == "No dominant pattern in head 0.0");
  CHECK(previous("0.64", "0.32") == "No dominant pattern in head 0.0");
  CHECK(previous("0.65", "0.32") == "Head 0.0 attends to the previous token: 65.0 %");
  CHECK(title({{"previous", "0.45"}, {"first", "0.5"}, {"self", "0.1"}}) ==
        "Head 0.0 attends to the first token: 50.0 %");
  const Given copies{{"previous", "0.1"},  {"first", "0.1"}, {"self", "0.1"},
                     {"induction", "0.6"}, {"repeats", "3"}, {"even_induction", "0.2"}};
  CHECK(title(copies) == "Head 0.0 attends to what followed the same token earlier (induction): 60.0 %");
  Given few = copies, even = copies;
  few[4].second = "2", even[5].second = "0.3";
  CHECK(title(few) == "No dominant pattern in head 0.0");
  CHECK(title(even) == "No dominant pattern in head 0.0");
}

TEST_CASE("means that are undefined say why, and are no numbers", "[attention][view]") {
  const auto result = run_study("attention", with_tokens(1));
  REQUIRE(result);
  for (const char* name : {"previous", "self", "first", "even_previous", "even_self", "even_first"}) {
    CHECK(std::isnan(result->scalar(name)->value));
    CHECK(result->scalar(name)->note == "needs two tokens");
  }
  CHECK(result->scalar("even_induction")->note == "needs a token that occurs again");
  const figure::Figure f = view_study().view(*result, result->params);
  CHECK(f.title == "No dominant pattern in head 0.0");
  CHECK(f.summary.find("The means are undefined: needs two tokens") != std::string::npos);
  CHECK(f.lead.lines[1] == "undefined: needs two tokens");
  CHECK(f.summary.find(" %") == std::string::npos);
}

TEST_CASE("a pattern that does not change is drawn in the neutral colour", "[attention][change]") {
  const auto result = run_study("attention", with_tokens(6));
  REQUIRE(result);
  const auto change = protocol::difference(view_study().schema, *result, *result);
  REQUIRE(change);
  const figure::Figure f = figure_of_change(view_study(), {*result, *result, *change, "A", "B"}, result->params);
  CHECK(f.title.starts_with("Nothing changes"));
  for (const char* id : {"pattern", "heads"}) {
    const auto& plot = std::get<figure::Plot>(f.find(id)->content);
    CHECK(plot.colour->range.diverging);
    CHECK(plot.colour->range.low == -plot.colour->range.high);
    for (const figure::Mark& mark : plot.marks)
      if (const auto* cells = std::get_if<figure::Cells>(&mark))
        for (const std::uint8_t shade : cells->cells.front()->data) CHECK((shade == 0 || shade == 128));
  }
}

TEST_CASE("heads that are not there are said", "[attention]") {
  CHECK(run_study("attention", with_tokens(3), {{"layer", "3"}}).error().sentence ==
        "There is no layer 3; the last one is 2.");
  CHECK(run_study("attention", with_tokens(3), {{"head", "2"}}).error().sentence ==
        "There is no head 2; the last one is 1.");
}

TEST_CASE("of a prompt with more tokens than the matrix may have cells, each cell is the largest of a block",
          "[attention]") {
  constexpr std::size_t n = 2101;
  studies::Inputs inputs = planted_inputs();
  inputs.network = tiny_network({1, 8, 1, n, planted_tokenizer()->size()});
  inputs.session = std::make_shared<model::Sessions>();
  for (std::size_t i = 0; i < n; ++i) inputs.subject.tokens.push_back(static_cast<std::int32_t>((i * 13) % 200));
  for (const char* stage : {"pattern", "scores"}) {
    const auto all = run_study("attention", inputs, {{"stage", stage}});
    REQUIRE(all);
    const protocol::Array& blocks = *all->array("pattern");
    REQUIRE(blocks.shape == std::vector<std::size_t>{1051, 1051});
    CHECK(all->scalar("pattern_pooled")->value == 2);
    studies::Inputs part = inputs;  // attention does not depend on later tokens
    part.subject.tokens.resize(40);
    const auto exact = run_study("attention", part, {{"stage", stage}});
    REQUIRE(exact);
    const protocol::Array& cells = *exact->array("pattern");
    for (std::size_t i = 0; i < 20; ++i)
      for (std::size_t j = 0; j < i; ++j) {
        double most = -HUGE_VAL;
        for (std::size_t k = 0; k < 4; ++k) most = std::max(most, cells.data[(2 * i + k / 2) * 40 + 2 * j + k % 2]);
        CHECK(blocks.data[i * 1051 + j] == Catch::Approx(most).margin(1e-6));
      }
    const auto& views = studies::view_studies();
    const auto& s = *std::ranges::find(views, "attention", [](const auto& one) { return one.schema.id; });
    CHECK(s.view(*all, all->params).subtitle.ends_with("over 2,101 tokens; a cell is the largest of 2 × 2."));
    ViewState view;
    view.focus = {{"query_block", 1050}, {"key_block", 3}};
    CHECK(s.reading(*all, all->params, view).lines[0] == "queries 2100 to 2100 → keys 6 to 7");
  }
}

TEST_CASE("an edited pattern comes with what it was, and its cells can be carried along their rows",
          "[attention][view]") {
  studies::Inputs inputs = with_tokens(12);
  const auto usual = run_study("attention", inputs, {{"layer", "1"}, {"head", "1"}});
  REQUIRE(usual);
  CHECK(usual->array("was")->data.empty());
  inputs.subject.edits = {{"move_attention:1.1:9:3:5", true}};
  const auto edited = run_study("attention", inputs, {{"layer", "1"}, {"head", "1"}});
  REQUIRE(edited);
  CHECK(edited->array("was")->data == usual->array("pattern")->data);
  CHECK(edited->array("pattern")->data != usual->array("pattern")->data);
  CHECK(edited->array("pattern")->data[9 * 12 + 3] == 0);

  const figure::Figure f = view_study().view(*edited, edited->params);
  const auto& plot = std::get<figure::Plot>(f.find("pattern")->content);
  const auto& cells = std::get<figure::Cells>(plot.marks.front());
  REQUIRE(cells.before.size() == 144);
  CHECK(cells.before[9 * 12 + 3] == Catch::Approx(usual->array("pattern")->data[9 * 12 + 3]));
  CHECK(std::isnan(cells.before[8 * 12 + 3]));
  const auto carry = std::ranges::find(plot.gestures, figure::Gesture::On::carry, &figure::Gesture::on);
  REQUIRE(carry != plot.gestures.end());
  CHECK(carry->text == "move_attention:1.1:{query}:{key}:{to}");
  CHECK(carry->until == "query");

  const auto scores = run_study("attention", inputs, {{"layer", "1"}, {"head", "1"}, {"stage", "scores"}});
  CHECK(scores->array("was")->data.empty());
}

}  // namespace attention_test
