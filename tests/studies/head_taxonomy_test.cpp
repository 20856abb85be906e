#include "studies/head_taxonomy/head_taxonomy.h"

#include "base/text.h"
#include "figure/table.h"
#include "state/fragment.h"
#include "studies/head_taxonomy/claims.h"
#include "studies/registry_view.h"
#include "tests/figure/drawings.h"
#include "tests/studies/planted_heads.h"

namespace head_taxonomy_test {

using namespace helix;
using namespace helix::testing;

namespace {

const studies::ViewStudy& view_study() { return *studies::find_view_study("head_taxonomy"); }

ParamValues asking(const char* layer, const char* head) {
  ParamValues values = defaults(view_study().schema);
  REQUIRE(set_value(view_study().schema, values, "layer", layer, true));
  REQUIRE(set_value(view_study().schema, values, "head", head, true));
  return values;
}

const figure::Plot& plot_of(const figure::Figure& f, const char* id) {
  const figure::Panel* panel = f.find(id);
  REQUIRE(panel);
  return std::get<figure::Plot>(panel->content);
}

/// An output of 12 × 12 heads without previous-token heads, or with the source text's list of ratios if `stated`.
studies::head_taxonomy::Output heads_of_gpt2(bool stated) {
  studies::head_taxonomy::Output out;
  out.ratio = {{12, 12}, std::vector<double>(144, 0.9)}, out.argmax_lag = {{12, 12}, std::vector<double>(144, 0)};
  out.previous_token_heads.value = 0, out.even_heads.value = 0;
  const std::tuple<std::size_t, std::size_t, double> list[] = {{4, 11, .01}, {5, 6, .18}, {3, 3, .33}, {2, 2, .33},
                                                               {6, 8, .43},  {7, 0, .45}, {2, 4, .46}, {1, 0, .47},
                                                               {3, 7, .50},  {8, 7, .51}, {3, 2, .52}};
  for (const auto& [layer, head, ratio] : list) {
    out.ratio.data[layer * 12 + head] = stated ? ratio : 1 - ratio;
    out.argmax_lag.data[layer * 12 + head] = 1, ++out.previous_token_heads.value;
  }
  return out;
}

}  // namespace

TEST_CASE("planted heads are told apart by their diagonals", "[head_taxonomy]") {
  const auto result = run_study("head_taxonomy", planted_heads(40));
  REQUIRE(result);
  CHECK(result->scalar("previous_token_heads")->value == 1);
  CHECK(result->scalar("heads")->value == 4);
  CHECK(result->scalar("smallest_ratio")->note == "layer 0, head 0");
  REQUIRE(result->array("mean_diagonal")->shape == std::vector<std::size_t>{1, 4, 39});
  CHECK(result->array("argmax_lag")->data == std::vector<double>{1, 0, 0, 2});
  const auto& ratio = result->array("ratio")->data;
  const auto& previous = result->array("previous")->data;
  const auto& even = result->array("even")->data;
  CHECK(previous[0] > 0.99);
  for (const std::size_t sharp : {0u, 2u, 3u}) CHECK(ratio[sharp] < 1e-6);
  // The head without a preference attends uniformly: its largest diagonal is its own token, not the previous one.
  for (std::size_t lag = 0; lag < 39; ++lag)
    CHECK(std::abs(result->array("mean_diagonal")->data[39 + lag] - even[lag]) < 1e-6);
  CHECK(std::abs(ratio[1] - even[1] / even[0]) < 1e-6);
  CHECK(result->scalar("even_previous")->value == even[1]);
}

TEST_CASE("heads are told apart by what they attend to, and an even head by nothing", "[head_taxonomy]") {
  studies::Inputs inputs = planted_heads(40);
  for (std::size_t i = 20; i < 40; ++i) inputs.subject.tokens[i] = inputs.subject.tokens[i - 20];
  const auto result = run_study("head_taxonomy", inputs);
  REQUIRE(result);
  const auto of = [&](const char* name, std::size_t head) { return result->array(name)->data[head]; };
  const std::vector<double>& level = result->array("level")->data;
  REQUIRE(level.size() == studies::head_taxonomy::kMetrics);
  CHECK(of("self", 2) > 0.9);
  CHECK(of("self", 0) < 0.1);
  CHECK(of("entropy", 2) < 1);
  const char* const names[] = {"self", "first", "induction", "duplicate", "entropy"};
  for (std::size_t k = 0; k < 5; ++k) {
    INFO(names[k]);
    CHECK(std::abs(of(names[k], 1) - level[k + 1]) < 1e-5);  // head 1 attends evenly
  }
  CHECK(std::abs(of("previous", 1) - level[0]) < 1e-6);
  CHECK(std::abs(of("ratio", 1) - level[6]) < 1e-5);
  // Nothing is 20 tokens back of these heads, so none stands out by what came before.
  const auto title = [&](const char* metric, const protocol::Result& r) {
    ParamValues values = defaults(view_study().schema);
    REQUIRE(set_value(view_study().schema, values, "metric", metric, true));
    return view_study().view(r, values).title;
  };
  CHECK(title("self", *result).find("Head 0.2 attends most to the token itself: ") == 0);
  CHECK(title("duplicate", *result).find("No head gives the same token earlier twice what even attention does") == 0);
  // A range of distances: head 3 looks two back, and an even head has the level of the range.
  ParamValues far = defaults(view_study().schema);
  for (const auto& [key, value] : Given{{"metric", "lags"}, {"first_lag", "2"}, {"last_lag", "3"}})
    REQUIRE(set_value(view_study().schema, far, key, value, true));
  const figure::Figure ranged = view_study().view(*result, far);
  CHECK(ranged.title.find("Head 0.3 attends most to the tokens 2 to 3 back: ") == 0);
  const std::vector<double>& even = result->array("even")->data;
  CHECK(ranged.title.find("even attention " + percent_text(even[2] + even[3], 1)) != std::string::npos);
  const auto& profile = std::get<figure::Plot>(ranged.find("profile")->content);
  REQUIRE(profile.gestures.size() == 1);
  CHECK(profile.gestures[0].first == 2);
  CHECK(profile.gestures[0].last == 3);
  CHECK(title("entropy", *result).find(" attends to the fewest tokens: ") != std::string::npos);
  inputs.subject.tokens = kTokens;
  inputs.session = std::make_shared<model::Sessions>();
  const auto once = run_study("head_taxonomy", inputs);
  REQUIRE(once);
  CHECK(std::isnan(once->array("induction")->data[0]));
  CHECK(title("duplicate", *once) == "No token occurs twice here, so no head can be seen to look for it");
  inputs.subject.tokens[1] = inputs.subject.tokens[0];  // again at once: nothing stands between
  inputs.session = std::make_shared<model::Sessions>();
  const auto twice = run_study("head_taxonomy", inputs);
  REQUIRE(twice);
  CHECK(std::isfinite(twice->array("duplicate")->data[0]));
  CHECK(title("induction", *twice) == "No token comes again after another one, so there is nothing that followed it");
}

TEST_CASE("mean diagonals are those of the patterns that attention shows", "[head_taxonomy]") {
  studies::Inputs inputs = planted_inputs();
  inputs.subject.tokens = kTokens;
  inputs.subject.edits = {{"ablate_head:0.1", true}, {"scale_head:1.0:3", true}};
  const auto all = run_study("head_taxonomy", inputs);
  REQUIRE(all);
  const std::size_t n = kTokens.size();
  for (const char* layer : {"0", "1", "2"})
    for (const char* head : {"0", "1"}) {
      const auto one = run_study("attention", inputs, {{"layer", layer}, {"head", head}});
      REQUIRE(one);
      const std::size_t at = static_cast<std::size_t>(layer[0] - '0') * 2 + static_cast<std::size_t>(head[0] - '0');
      double first = 0, second = 0;
      for (std::size_t lag = 0; lag < n - 1; ++lag) {
        double sum = 0;
        for (std::size_t q = lag + 1; q < n; ++q) sum += one->array("pattern")->data[q * n + q - lag];
        const double mean = sum / static_cast<double>(n - 1 - lag);
        CHECK(std::abs(all->array("mean_diagonal")->data[at * (n - 1) + lag] - mean) < 1e-12);
        if (mean > first)
          second = first, first = mean;
        else
          second = std::max(second, mean);
      }
      CHECK(std::abs(all->array("ratio")->data[at] - second / first) < 1e-9);
    }
}

TEST_CASE("short diagonals can be left out, without running again", "[head_taxonomy]") {
  studies::Inputs inputs = planted_inputs();
  inputs.subject.tokens = kTokens;
  const auto all = run_study("head_taxonomy", inputs);
  inputs.session.reset();  // a second pass would fail without a session
  const auto some = run_study("head_taxonomy", inputs, {{"min_length", "10"}});
  REQUIRE(some);
  REQUIRE(some->array("mean_diagonal")->shape == std::vector<std::size_t>{3, 2, 30});
  for (std::size_t at = 0; at < 6; ++at)
    for (std::size_t lag = 0; lag < 30; ++lag)
      CHECK(some->array("mean_diagonal")->data[at * 30 + lag] == all->array("mean_diagonal")->data[at * 39 + lag]);
  const auto one = run_study("head_taxonomy", inputs, {{"min_length", "500"}});
  REQUIRE(one);
  CHECK(one->array("mean_diagonal")->shape[2] == 1);
  CHECK(std::isnan(one->array("ratio")->data[0]));
  CHECK(std::isnan(one->array("previous")->data[0]));
  REQUIRE(one->notes.size() == 1);
  check_sentence(one->notes[0]);
}

TEST_CASE("where one token back is not examined, no head is counted, and that is said", "[head_taxonomy][view]") {
  studies::Inputs inputs = planted_heads(21);
  const auto in_view = [&](const protocol::Result& r) { return view_study().view(r, r.params); };
  const auto examined = run_study("head_taxonomy", inputs, {{"min_length", "19"}});
  REQUIRE(examined);
  CHECK(examined->scalar("previous_token_heads")->value == 1);
  CHECK(examined->scalar("even_heads")->value == 0);
  CHECK(in_view(*examined).title == "1 of 4 heads attends most to the previous token");
  const auto result = run_study("head_taxonomy", inputs, {{"min_length", "20"}});
  REQUIRE(result);
  for (const char* name : {"previous_token_heads", "even_heads", "smallest_ratio", "even_previous"}) {
    CHECK(std::isnan(result->scalar(name)->value));
    CHECK(result->scalar(name)->note ==
          "the diagonal one token back has 19 entries, and only diagonals of at least 20 are examined");
  }
  const figure::Figure f = in_view(*result);
  CHECK(f.title == "Which heads attend most to the previous token was not examined");
  CHECK(f.subtitle.find("undefined: the diagonal one token back has 19 entries") != std::string::npos);
  CHECK(f.subtitle.find("Dots mark") == std::string::npos);
  CHECK(f.summary.find("0 of") == std::string::npos);
  check_sentence(f.summary);
  REQUIRE(result->claims.size() == 2);
  for (const protocol::Claim& claim : result->claims) {
    CHECK(!claim.here);
    CHECK(!claim.holds);
  }
}

TEST_CASE("a head that attends to the first token alone has no largest diagonal", "[head_taxonomy]") {
  studies::Inputs inputs = planted_heads(12);
  for (std::size_t q = 0; q < 12; ++q)
    inputs.subject.edits.push_back({"set_score:0.1:" + std::to_string(q) + ":0:10000", true});
  const auto result = run_study("head_taxonomy", inputs);
  REQUIRE(result);
  CHECK(std::isnan(result->array("argmax_lag")->data[1]));
  CHECK(std::isnan(result->array("ratio")->data[1]));
  const figure::Figure f = view_study().view(*result, asking("0", "1"));
  CHECK(f.summary.ends_with("The ratio of head 0.1 is undefined: its diagonals hold no attention."));
  const figure::Reading r = view_study().reading(*result, asking("0", "1"), focused({{"layer", 0}, {"head", 1}}));
  CHECK(r.lines[0] == "ratio  –");
  CHECK(r.lines[1] == "largest diagonal  –");
}

TEST_CASE("too few tokens are a sentence", "[head_taxonomy]") {
  for (const std::size_t n : {1u, 2u}) {
    studies::Inputs inputs = planted_inputs();
    inputs.subject.tokens.assign(n, 3);
    const auto failed = run_study("head_taxonomy", inputs);
    REQUIRE(!failed);
    check_sentence(failed.error().sentence, "three tokens");
  }
  studies::Inputs inputs = planted_inputs();
  inputs.subject.tokens.assign(3, 3);
  CHECK(run_study("head_taxonomy", inputs));
  inputs.subject.edits = {{"no_mask", true}};
  const auto open = run_study("head_taxonomy", inputs);
  REQUIRE(open);
  REQUIRE(open->notes.size() == 1);
  check_sentence(open->notes[0], "mask");
}

TEST_CASE("the map marks the heads that look back, and a click chooses whose profile is drawn",
          "[head_taxonomy][view]") {
  const auto result = run_study("head_taxonomy", planted_heads(40));
  REQUIRE(result);
  const figure::Figure first = view_study().view(*result, defaults(view_study().schema));
  CHECK(first.title == "1 of 4 heads attends most to the previous token");
  const figure::Plot& map = plot_of(first, "heads");
  CHECK(map.chosen == std::vector<Place>{{"layer", 0}, {"head", 0}});  // the head with the clearest diagonal
  const auto& dots = std::get<figure::Points>(map.marks[1]);
  CHECK(dots.at->data == std::vector<double>{0, 0});
  REQUIRE(map.gestures.size() == 3);  // a click chooses; two acts remove and double
  CHECK(map.gestures[0].text == "layer={layer}&head={head}");
  // The controls may be ahead of the result: it has every head's profile.
  const figure::Figure other = view_study().view(*result, asking("0", "3"));
  const figure::Plot& profile = plot_of(other, "profile");
  CHECK(plot_of(other, "heads").chosen == std::vector<Place>{{"layer", 0}, {"head", 3}});
  REQUIRE(profile.marks.size() == 2);
  const auto &even = std::get<figure::Line>(profile.marks[0]), &own = std::get<figure::Line>(profile.marks[1]);
  CHECK(own.name == "head 0.3");
  CHECK(own.at.data[2] > 0.99);
  CHECK(even.at.data[1] == result->scalar("even_previous")->value);
  CHECK(profile.x.title == "tokens back (the first 32 of 39)");
  for (const float width : {1000.0f, 362.0f}) {
    const figure::Drawing d = drawn(other, width);
    check_labels(d);
    const figure::Rect cell = d.rect_of({{"layer", 0}, {"head", 3}}, "heads");
    REQUIRE(cell.w > 0);
    const figure::Reading said = view_study().reading(*result, asking("0", "3"), focused(picked(d, middle(cell))));
    CHECK(said.title == "layer 0, head 3");
    CHECK(said.lines[1] == "largest diagonal  2 tokens back");
  }
  const figure::Reading lag = view_study().reading(*result, asking("0", "3"), focused({{"lag", 2}}));
  CHECK(lag.title == "2 tokens back");
  CHECK(lag.lines[0] == "head 0.3  " + to_fixed(own.at.data[2], 4));
}

TEST_CASE("a row of the table opens its head's attention, and the prompt stays", "[head_taxonomy][view]") {
  const auto result = run_study("head_taxonomy", planted_heads(40));
  REQUIRE(result);
  const figure::Figure f = view_study().view(*result, asking("-1", "-1"));
  const figure::Table& table = f.tables[0];
  CHECK(table.open);
  REQUIRE(table.go.size() == 4);
  CHECK(figure::cell(table.columns[0], 0) == "0.0");  // previous-token heads come first
  CHECK(figure::cell(table.columns[3], 0) == "1");
  CHECK(table.go[0] == "from=here&study=attention&attention.layer=0&attention.head=0");
  state::AppState start;
  start.study = "head_taxonomy", start.params = defaults(view_study().schema);
  start.subject.prompt = "a b c", start.subject.bos = true, start.subject.edits = {{"no_mask", true}};
  const auto gone =
      state::apply_fragment(start, table.go[3], studies::schemas_of(studies::view_studies()), state::From::start);
  REQUIRE(gone);
  CHECK(gone->state.study == "attention");
  CHECK(gone->state.subject == start.subject);
}

TEST_CASE("a head that an edit switches off is struck out, and said where it is chosen", "[head_taxonomy][view]") {
  studies::Inputs inputs = planted_heads(40);
  inputs.subject.edits = {{"ablate_head:0.3", true}};
  const auto result = run_study("head_taxonomy", inputs);
  REQUIRE(result);
  const figure::Figure other = view_study().view(*result, asking("0", "0")),
                       chosen = view_study().view(*result, asking("0", "3"));
  CHECK(other.title.ends_with(", with 1 edit"));
  CHECK(other.subtitle.starts_with("Mean attention"));
  CHECK(other.subtitle.ends_with("A stroke marks a head that an edit switches off."));
  CHECK(chosen.subtitle.starts_with("Head 0.3 is switched off by an edit"));
  const auto& tags = std::get<figure::Cells>(std::get<figure::Plot>(chosen.find("heads")->content).marks[0]).tags;
  REQUIRE(tags.size() == 1);
  CHECK(tags[0].row == 0);
  CHECK(tags[0].col == 3);
  CHECK(tags[0].text.empty());
  CHECK(chosen.summary.ends_with(" Heads with edits: 0.3 off."));
  check_labels(drawn(chosen, 752));
}

TEST_CASE("a head whose output is multiplied says the factor: in its cell, the table, the reading and the summary",
          "[head_taxonomy][view]") {
  studies::Inputs inputs = planted_heads(40);
  inputs.subject.edits = {{"scale_head:0.1:4", true},   {"scale_head:0.1:-0.5", true}, {"scale_head:0.2:2", true},
                          {"scale_head:0.2:0.5", true}, {"scale_head:0.3:0", true},    {"ablate_head:0.0:mean", true}};
  const auto result = run_study("head_taxonomy", inputs);
  REQUIRE(result);
  const figure::Figure f = view_study().view(*result, asking("0", "1"));
  const auto& tags = std::get<figure::Cells>(std::get<figure::Plot>(f.find("heads")->content).marks[0]).tags;
  REQUIRE(tags.size() == 2);  // 0.2 is left as it is, and a mean is no factor
  CHECK(tags[0].text == "×−2");
  CHECK(tags[1].text.empty());
  CHECK(f.subtitle.starts_with("An edit multiplies the output of head 0.1 by −2. "));
  CHECK(f.summary.ends_with(" Heads with edits: 0.1 ×−2, 0.3 off."));
  const figure::Table::Column& edits = f.tables[0].columns.back();
  CHECK(edits.name == "edit");
  for (std::size_t i = 0; i < 4; ++i) {
    const std::string& name = f.tables[0].columns[0].texts[i];
    CHECK(edits.texts[i] == (name == "0.1" ? "×−2" : name == "0.3" ? "off" : ""));
  }
  ViewState view;
  view.focus.set("layer", 0), view.focus.set("head", 1);
  CHECK(view_study().reading(*result, asking("0", "1"), view).lines.back() == "output ×−2 by an edit");
  view.focus.set("head", 3);
  CHECK(view_study().reading(*result, asking("0", "1"), view).lines.back() == "switched off by an edit");
  view.focus.set("head", 2);
  CHECK(view_study().reading(*result, asking("0", "1"), view).lines.back().ends_with(" bits"));
}

TEST_CASE("the claims on previous-token heads hold where they should", "[head_taxonomy]") {
  using namespace studies::head_taxonomy;
  const Output stated = heads_of_gpt2(true), turned = heads_of_gpt2(false);
  const auto all = claims(stated, "750 tokens", 749);
  REQUIRE(all.size() == 2);
  CHECK(all[0].holds == false);  // 11, not 69
  CHECK(all[0].convention.find("if all heads attended evenly, it would be 0") != std::string::npos);
  CHECK(all[1].holds == true);
  CHECK(all[1].here == 0.01);
  CHECK(all[1].convention.find("rank correlation with the text's eleven heads 1.00") != std::string::npos);
  CHECK(claims(turned, "750 tokens", 749)[1].holds == false);
  CHECK(claims(turned, "750 tokens", 749)[1].convention.find("heads -1.00") == std::string::npos);
  CHECK(!claims(stated, "20 tokens", 19)[0].holds);
  CHECK(!claims(stated, "20 tokens", 19)[1].holds);
  Output many = stated;
  many.previous_token_heads.value = 66;
  CHECK(claims(many, "750 tokens", 749)[0].holds == true);
  const auto small = run_study("head_taxonomy", planted_heads(40));
  REQUIRE(small);
  REQUIRE(small->claims.size() == 2);
  CHECK(small->claims[1].convention.find("layer 0, head 0") != std::string::npos);
}

TEST_CASE("what others measured is judged on its own text alone, at the right diagonal", "[head_taxonomy]") {
  using namespace studies::head_taxonomy;
  Output out = heads_of_gpt2(true);
  out.mean_diagonal = {{12, 12, 31}, std::vector<double>(144 * 31, 0.02)};
  out.even = {{31}, std::vector<double>(31, 0.03)};
  const auto diagonal = [&](std::size_t layer, std::size_t head, std::size_t lag) -> double& {
    return out.mean_diagonal.data[(layer * 12 + head) * 31 + lag];
  };
  for (const Measured& m : kInduction) diagonal(m.layer, m.head, 29) = m.random;
  for (const Measured& m : kPrevious) diagonal(m.layer, m.head, 1) = m.random;
  const auto ran = [&](std::size_t times) {
    out.tokens = {{0, ""}};
    for (std::size_t i = 0; i < times * 30; ++i) out.tokens.push_back({studies::kRandomTokens[i % 30], "x"});
    return claims(out, "a text", times * 30);
  };
  const auto twice = ran(2), once = ran(1);
  REQUIRE(twice.size() == std::size(kInduction));  // T5 and T6 are about prose
  REQUIRE(once.size() == std::size(kPrevious));
  for (const auto& all : {twice, once})
    for (const protocol::Claim& claim : all) {
      CAPTURE(claim.id);
      CHECK(claim.holds == true);
      CHECK(*claim.here == *describe().claim(claim.id)->stated);
      CHECK(claim.convention.find("even attention would give 0.030") != std::string::npos);
    }
  CHECK(once[0].convention.find("the ratio of claim T6 is 0.01") != std::string::npos);
  diagonal(5, 5, 29) = 0.8;
  CHECK(ran(2)[0].holds == false);
  out.edits = {"no_mask"};
  CHECK(ran(2).size() == 2);  // another run than theirs: T5 and T6, not judged
  out.edits.clear();
  out.tokens.back().id += 1;
  CHECK(claims(out, "a text", 60).size() == 2);

  out.tokens = {{0, ""}};
  for (const char c : kProse) out.tokens.push_back({1, std::string(1, c)});
  for (const Measured& m : kPrevious) diagonal(m.layer, m.head, 1) = m.prose + 0.05;
  const auto prose = claims(out, "a text", 200);
  REQUIRE(prose.size() == 2 + std::size(kPrevious));
  CHECK(prose[2].id == "PREV-4.11-prose");
  for (std::size_t i = 2; i < prose.size(); ++i) CHECK(prose[i].holds == true);

  Output small = out;  // a model without these heads
  small.mean_diagonal = {{2, 2, 31}, std::vector<double>(4 * 31, 0.5)};
  small.ratio = {{2, 2}, std::vector<double>(4, 0.5)}, small.argmax_lag = {{2, 2}, std::vector<double>(4, 0)};
  for (const protocol::Claim& claim : claims(small, "a text", 200))
    if (claim.id.starts_with("PREV"))
      CHECK((!claim.here && claim.convention.find("there is no head") != std::string::npos));
}

TEST_CASE("rank correlation", "[head_taxonomy]") {
  using studies::head_taxonomy::rank_correlation;
  CHECK(std::abs(rank_correlation({1, 2, 3, 4}, {10, 20, 30, 400}) - 1) < 1e-12);
  CHECK(std::abs(rank_correlation({1, 2, 3, 4}, {4, 3, 2, 1}) + 1) < 1e-12);
  CHECK(std::abs(rank_correlation({1, 2, 2, 3}, {1, 3, 3, 5}) - 1) < 1e-12);
  CHECK(std::isnan(rank_correlation({1, 2}, {5, 5})));
}

}  // namespace head_taxonomy_test
