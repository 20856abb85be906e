// What a study is given: tensors with their provenance, one head's matrices, runs, and claims with a declared rule.
#include "studies/context_compute.h"

#include <cmath>

#include "model/sampling.h"
#include "studies/check_index.h"
#include "tests/planted.h"
#include "tests/probe_study.h"

namespace context_test {

using namespace helix;
using namespace helix::testing;
using namespace helix::studies;
using Catch::Approx;

namespace {

const TinySizes kSizes{2, 24, 2, 40, 300};

struct WholeModel {
  Inputs inputs;
  Tensors tensors;
};

/// One model whose weights and network are both there.
WholeModel whole() {
  WholeModel out;
  const Bytes file = tiny_checkpoint(kSizes, 0.3, 1, &out.tensors);
  const auto weights = std::make_shared<checkpoint::WeightFile>("planted", file.size());
  std::vector<std::string> names;
  for (const auto& [name, values] : out.tensors) names.push_back(name);
  weights->want(names);
  REQUIRE(weights->feed(0, file));
  REQUIRE(weights->feed(0, file));
  out.inputs.weights = weights;
  out.inputs.size = ModelSize{2, 2, 24, 40, 300};
  out.inputs.network = tiny_network(kSizes);
  out.inputs.session = std::make_shared<model::Sessions>();
  out.inputs.subject.tokens = {5, 7, 250, 7, 9, 31};
  out.inputs.no_tokenizer = "There is no vocabulary.";
  out.inputs.provenance.model = "planted";
  return out;
}

Context context_of(const Inputs& inputs) {
  static const StudySchema schema = probe::describe();
  return Context(schema, defaults(schema), inputs);
}

}  // namespace

TEST_CASE("a head's weights, with biases and ln_1, give the queries, keys and values of a pass", "[studies][context]") {
  const WholeModel model = whole();
  Context context = context_of(model.inputs);
  const auto head = run_to_end(context.head(1, 1));
  REQUIRE(head);
  const auto text = run_to_end(context.runner().prepare());
  REQUIRE(text);
  Wanted wanted;
  wanted.hooks = {{model::HookKind::ln1_normalized, 1},
                  {model::HookKind::q, 1},
                  {model::HookKind::k, 1},
                  {model::HookKind::v, 1},
                  {model::HookKind::z, 1},
                  {model::HookKind::attn_out, 1},
                  {model::HookKind::result, 1}};
  const auto ran = run_to_end(context.runner().run(*text, wanted));
  REQUIRE(ran);
  const std::size_t d = 24, d_head = 12;
  const auto at = [&](std::size_t hook, std::size_t i, std::size_t j) {
    return static_cast<double>(ran->kept[hook].data()[i * d + j]);
  };
  for (std::size_t i = 0; i < 6; ++i)
    for (std::size_t j = 0; j < d_head; ++j) {
      double q = head->q_bias[j], k = head->k_bias[j], v = head->v_bias[j];
      for (std::size_t c = 0; c < d; ++c) {
        const double x = at(0, i, c) * head->gain[c] + head->shift[c];
        q += x * head->q(c, j), k += x * head->k(c, j), v += x * head->v(c, j);
      }
      CHECK(at(1, i, d_head + j) == Approx(q).margin(1e-5));
      CHECK(at(2, i, d_head + j) == Approx(k).margin(1e-5));
      CHECK(at(3, i, d_head + j) == Approx(v).margin(1e-5));
    }
  for (std::size_t j = 0; j < d; ++j) {
    double added = 0;
    for (std::size_t c = 0; c < d_head; ++c) added += at(4, 3, d_head + c) * head->o(c, j);
    CHECK(static_cast<double>(ran->kept[6].data()[(3 * 2 + 1) * d + j]) == Approx(added).margin(1e-5));
  }
  CHECK(head->o_bias.size() == d);
  check_sentence(run_to_end(context.head(0, 2)).error().sentence, "There is no head 2");
  check_sentence(run_to_end(context.head(7, 0)).error().sentence, "h.7.attn.c_attn.weight");
}

TEST_CASE("a tensor is hashed once for all studies", "[studies][context]") {
  const WholeModel model = whole();
  Context first = context_of(model.inputs);
  const auto table = run_to_end(first.table("wte.weight", "word embeddings"));
  REQUIRE(table);
  CHECK(table->rows() == 300);
  CHECK(table->precision == "F32");
  const auto kept = model.inputs.store->find<std::string>(model.inputs.weights, "sha256 of wte.weight");
  REQUIRE(kept);
  CHECK(*kept == table->sha256);
  const auto norms = run_study("position_norms", model.inputs, {{"of", "wte"}});
  REQUIRE(norms);
  CHECK(norms->provenance.tensors.front().sha256 == table->sha256);
  CHECK(model.inputs.store->size() == 1);
  check_sentence(run_to_end(context_of(Inputs()).table("wte.weight", "word embeddings")).error().sentence,
                 "No model is open, so there are no word embeddings");
}

TEST_CASE("what a study reads by other means is named once, with the precision of the first", "[studies][context]") {
  const WholeModel model = whole();
  Context context = context_of(model.inputs);
  for (int time = 0; time < 2; ++time) REQUIRE(run_to_end(context.reads({"wte.weight", "ln_f.weight"})));
  REQUIRE(context.origin().tensors.size() == 2);
  CHECK(context.origin().tensors[1].name == "ln_f.weight");
  CHECK(context.origin().precision == "F32");
  check_sentence(run_to_end(context.reads({"no.weight"})).error().sentence, "no.weight");
  REQUIRE(run_to_end(context.positions(PositionSource::sinusoidal, 1000)));
  CHECK(context.origin().model.empty());
  CHECK(context.origin().precision == "F64");
  check_sentence(run_to_end(context_of(Inputs()).positions(PositionSource::learned, 0)).error().sentence,
                 "no learned positions");
  CHECK(check_index("layer", 1, 2));
  CHECK(check_index("layer", 2, 2).error().sentence == "There is no layer 2; the last one is 1.");
}

TEST_CASE("what a study keeps is found by its key, in the name of its owner", "[studies][context]") {
  using Numbers = std::vector<double>;
  const WholeModel model = whole();
  Context first = context_of(model.inputs), second = context_of(model.inputs);
  first.keep(nullptr, "numbers", Numbers{1, 2});
  REQUIRE(second.known<Numbers>(nullptr, "numbers"));
  CHECK(*second.known<Numbers>(nullptr, "numbers") == Numbers{1, 2});
  CHECK_FALSE(second.known<Numbers>(nullptr, "others"));
  CHECK_FALSE(second.known<Numbers>(model.inputs.weights, "numbers"));
  int made = 0;
  const auto make = [&]() -> Task<Expected<Numbers>> {
    ++made;
    co_return Numbers{3};
  };
  CHECK(**run_to_end(second.cached_of<Numbers>(nullptr, "numbers", make)) == Numbers{1, 2});
  CHECK(made == 0);
  CHECK(**run_to_end(second.cached<Numbers>("numbers", make)) == Numbers{3});
  REQUIRE(first.known<Numbers>(model.inputs.weights, "numbers"));
  CHECK(made == 1);
}

TEST_CASE("the loss of a text, token by token, and how far an edit moves the predictions", "[studies][runner]") {
  const WholeModel model = whole();
  Runner runner(model.inputs);
  const auto text = run_to_end(runner.prepare());
  REQUIRE(text);
  const auto loss = run_to_end(runner.loss(*text));
  REQUIRE(loss);
  REQUIRE(loss->log_probability.size() == 5);
  Wanted wanted;
  wanted.logits_at = {0, 1, 2, 3, 4, 5};
  const auto ran = run_to_end(runner.run(*text, wanted));
  REQUIRE(ran);
  double sum = 0;
  for (std::size_t i = 0; i < 5; ++i) {
    const auto next = static_cast<std::size_t>(text->prompt.ids[i + 1]);
    const double expected = std::log(model::probabilities(ran->logits.row(i))[next]);
    CHECK(loss->log_probability[i] == Approx(expected).epsilon(1e-9));
    sum -= expected;
  }
  CHECK(loss->mean() == Approx(sum / 5).epsilon(1e-9));
  CHECK(loss->next.empty());
  const auto next = run_to_end(runner.loss(*text, WantedLoss{{}, 5, true, true}));
  REQUIRE(next);
  CHECK(next->log_probability.empty());
  CHECK(std::ranges::equal(next->next, ran->logits.row(5)));  // to the last bit
  std::size_t seen = 0;
  std::vector<model::Tap> taps{
      {{model::HookKind::pattern, 1}, [&](const model::Chunk& chunk) { seen += chunk.rows.rows; }}};
  const auto tapped = run_to_end(runner.loss(*text, WantedLoss{taps}));
  REQUIRE(tapped);
  CHECK(tapped->log_probability == loss->log_probability);
  CHECK(seen == 2 * 6);  // heads × queries

  for (const std::size_t first : {std::size_t{3}, std::size_t{5}, std::size_t{9}}) {
    const auto end = run_to_end(runner.loss(*text, WantedLoss{{}, first, true}));
    REQUIRE(end);
    REQUIRE(end->log_probability.size() == 5 - std::min<std::size_t>(first, 5));
    for (std::size_t i = first; i < 5; ++i)
      CHECK(end->log_probability[i - first] == Approx(loss->log_probability[i]).epsilon(1e-9));
  }

  Subject edited = model.inputs.subject;
  edited.edits.push_back({"ablate_head:1.0", true});
  const auto other = run_to_end(runner.prepare(edited));
  REQUIRE(other);
  const auto moved = run_to_end(runner.divergence(*text, *other));
  REQUIRE(moved);
  REQUIRE(moved->size() == 6);
  for (const double x : *moved) CHECK(x > 0);
  const auto still = run_to_end(runner.divergence(*text, *text));
  REQUIRE(still);
  for (const double x : *still) CHECK(x == 0);
  edited.tokens.pop_back();
  const auto shorter = run_to_end(runner.prepare(edited));
  REQUIRE(shorter);
  check_sentence(run_to_end(runner.divergence(*text, *shorter)).error().sentence, "the same tokens");
}

TEST_CASE("a batch leaves the prompt's session alone", "[studies][runner]") {
  const WholeModel model = whole();
  Runner runner(model.inputs);
  const auto text = run_to_end(runner.prepare());
  REQUIRE(text);
  REQUIRE(run_to_end(runner.run(*text, {})));
  for (std::int32_t start = 0; start < 6; ++start) {
    Wanted wanted;
    wanted.once = true;
    REQUIRE(run_to_end(runner.run({start, 40, 41}, {}, wanted)));
  }
  CHECK(model.inputs.session->size() == 1);
}

TEST_CASE("windows cover a text, the last one to its end", "[studies][runner]") {
  using Windows = std::vector<std::vector<std::int32_t>>;
  const std::vector<std::int32_t> ids{0, 1, 2, 3, 4, 5, 6};
  CHECK(windows(ids, 3, 2) == Windows{{0, 1, 2}, {2, 3, 4}, {4, 5, 6}});
  CHECK(windows(ids, 4, 4) == Windows{{0, 1, 2, 3}, {3, 4, 5, 6}});
  CHECK(windows(ids, 7, 3) == Windows{{0, 1, 2, 3, 4, 5, 6}});
  CHECK(windows(ids, 20, 3) == Windows{{0, 1, 2, 3, 4, 5, 6}});
}

TEST_CASE("an edit's table of positions is made once", "[studies][runner]") {
  WholeModel model = whole();
  model.inputs.subject.edits.push_back({"rank_positions:2", true});
  const auto first = run_to_end(make_ready(model.inputs)), again = run_to_end(make_ready(model.inputs));
  REQUIRE(first);
  REQUIRE(again);
  CHECK(first->edits.positions);
  CHECK(first->edits.positions == again->edits.positions);
  model.inputs.subject.edits = {{"rank_positions:3", true}};
  const auto other = run_to_end(make_ready(model.inputs));
  REQUIRE(other);
  CHECK(other->edits.positions->data != first->edits.positions->data);
}

TEST_CASE("a claim with a declared rule is judged where its setting was computed", "[studies][judge]") {
  StudySchema schema;
  schema.id = "probe", schema.reads = Reads::weights;
  schema.params = param_specs<probe::Params>();
  schema.claims = {{"X1", 2.5, "", kGpt2Small, "run_first=0", {"", "norm|loss", 0.005}}};
  protocol::Result result;
  result.study = "probe", result.params = defaults(schema);
  result.scalars = {{"norm", 2.504, "", ""}, {"loss", 9, "", ""}};
  judge_stated(schema, {}, result);
  CHECK(result.claims.empty());  // another setting
  REQUIRE(set_value(schema, result.params, "run_first", "0", true));
  result.provenance.convention = "as stated";
  judge_stated(schema, {}, result);
  REQUIRE(result.claims.size() == 1);
  CHECK(result.claims[0].holds == true);
  CHECK(result.claims[0].here == 2.504);
  CHECK(result.claims[0].convention == "as stated; holds within 0.005");
  judge_stated(schema, {}, result);
  CHECK(result.claims.size() == 1);  // once
  result.claims.clear(), result.scalars[0].value = 2.506;
  judge_stated(schema, {}, result);
  CHECK(result.claims[0].holds == false);
  result.claims.clear(), result.scalars[0].value = std::nan("");
  judge_stated(schema, {}, result);
  CHECK(!result.claims[0].holds);
  result.claims.clear(), result.complete = false;
  judge_stated(schema, {}, result);
  CHECK(result.claims.empty());
}

TEST_CASE("a setting that a text leaves open counts as the text's only at the values it can mean", "[studies][judge]") {
  StudySchema schema = studies::find_compute_study("spectrum")->schema;
  schema.claims = {{"X1", 2.5, "", "", "layer=0", {"layer=0|3", "norm", 0.005}}};
  const auto is_judged = [&](const char* value) {
    protocol::Result result;
    result.study = schema.id, result.params = defaults(schema), result.scalars = {{"norm", 2.5, "", ""}};
    REQUIRE(set_value(schema, result.params, "layer", value, true));
    judge_stated(schema, {}, result);
    return !result.claims.empty();
  };
  CHECK(is_judged("0"));
  CHECK(is_judged("3"));
  CHECK(!is_judged("5"));
}

}  // namespace context_test
