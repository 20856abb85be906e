// Edits of a pass: refused if they do not fit, and the effect of each.
#include "model/edits.h"

#include "tests/model/tiny_network.h"
#include "tests/sentence_check.h"

namespace model_edits_test {

using namespace helix;
using namespace helix::model;
using namespace helix::testing;

namespace {

const TinySizes kSizes{3, 24, 2, 20, 30};
constexpr std::size_t kTokens = 12;

std::vector<std::int32_t> tokens() {
  std::vector<std::int32_t> ids(kTokens);
  for (std::size_t i = 0; i < kTokens; ++i) ids[i] = static_cast<std::int32_t>((i * 7 + 3) % kSizes.n_vocab);
  return ids;
}

Edits parsed(const std::vector<std::string>& specs) {
  Edits edits;
  for (const std::string& spec : specs) {
    const auto edit = parse_edit(spec);
    REQUIRE(edit);
    edits.emplace_back(spec, *edit);
  }
  return edits;
}

Interventions made(const std::vector<std::string>& specs, const std::shared_ptr<Network>& network) {
  const Edits edits = parsed(specs);
  REQUIRE(check_edits(edits, network->config(), kTokens));
  auto made = run_to_end(interventions(network, edits, {tokens(), 1, 2}));
  REQUIRE(made);
  return std::move(*made);
}

/// The values at a head's hook after these edits, [query, key].
Matrix<float> at_hook(const std::shared_ptr<Network>& network, const std::vector<std::string>& specs, Hook hook,
                      std::size_t head, Matrix<float>* logits = nullptr) {
  Asked asked;
  asked.tokens = tokens();
  asked.edits = made(specs, network);
  asked.logits_at = {kTokens - 1};
  Matrix<float> seen(kTokens, has_heads_apart(hook.kind) ? kTokens : kSizes.d_model);
  asked.watch.push_back({hook,
                         [&](const Chunk& chunk) {
                           for (std::size_t i = 0; i < chunk.rows.rows; ++i)
                             std::copy(chunk.rows.row(i).begin(), chunk.rows.row(i).end(),
                                       seen.row(chunk.first + i).begin());
                         },
                         head});
  const auto out = run_to_end(forward(network, std::make_shared<Session>(), asked));
  REQUIRE(out);
  if (logits) *logits = *out;
  return seen;
}

double row_sum(const Matrix<float>& m, std::size_t row) {
  double sum = 0;
  for (const float x : m.row(row)) sum += static_cast<double>(x);
  return sum;
}

}  // namespace

TEST_CASE("an edit that does not fit the model or the prompt is named", "[edits]") {
  const auto network = tiny_network(kSizes);
  const auto sentence = [&](const std::string& spec) {
    const auto fit = check_edits(parsed({spec}), network->config(), kTokens);
    REQUIRE(!fit);
    return fit.error().sentence;
  };
  CHECK(sentence("ablate_head:3.0") == "The edit “ablate_head:3.0” names layer 3, but the last one is 2.");
  CHECK(sentence("ablate_head:0.2") == "The edit “ablate_head:0.2” names head 2, but the last one is 1.");
  CHECK(sentence("set_score:0.0:12:3:1") ==
        "The edit “set_score:0.0:12:3:1” names position 12, but the last token is at 11.");
  CHECK(sentence("move_attention:0.0:5:3:12").find("position 12") != std::string::npos);
  CHECK(sentence("mask_previous:0-3:5").find("layer 3") != std::string::npos);
}

TEST_CASE("a head is silenced, or counts more", "[edits]") {
  const auto network = tiny_network(kSizes);
  const std::size_t d_head = network->config().d_head;
  const Matrix<float> usual = at_hook(network, {}, {HookKind::z, 1}, 0);
  for (const auto& [spec, factor] : {std::pair("ablate_head:1.1", 0.0f), std::pair("scale_head:1.1:2.5", 2.5f)}) {
    const Matrix<float> z = at_hook(network, {spec}, {HookKind::z, 1}, 0);
    for (std::size_t i = 0; i < kTokens; ++i)
      for (std::size_t j = 0; j < z.cols; ++j) CHECK(z(i, j) == (j / d_head == 1 ? usual(i, j) * factor : usual(i, j)));
  }
  const Matrix<float> out = at_hook(network, {}, {HookKind::attn_out, 1}, 0);
  const Matrix<float> twice = at_hook(network, {"scale_attn:1:2"}, {HookKind::attn_out, 1}, 0);
  for (std::size_t i = 0; i < out.data.size(); ++i) CHECK(twice.data[i] == 2 * out.data[i]);
  Matrix<float> a, b;
  at_hook(network, {}, {HookKind::z, 1}, 0, &a);
  at_hook(network, {"scale_head:1.1:1"}, {HookKind::z, 1}, 0, &b);
  CHECK(std::memcmp(a.data.data(), b.data.data(), a.data.size() * sizeof(float)) == 0);
}

TEST_CASE("every n-th query is kept from its neighbour: before the softmax or after it", "[edits]") {
  const auto network = tiny_network(kSizes);
  const Matrix<float> usual = at_hook(network, {}, {HookKind::pattern, 0}, 1);
  const Matrix<float> before = at_hook(network, {"mask_previous:0-1:5"}, {HookKind::pattern, 0}, 1);
  const Matrix<float> after = at_hook(network, {"mask_previous:0-1:5:after"}, {HookKind::pattern, 0}, 1);
  for (std::size_t i = 0; i < kTokens; ++i) {
    const bool hit = i == 5 || i == 10;
    CHECK(std::abs(row_sum(before, i) - 1) < 1e-5);
    for (std::size_t j = 0; j < kTokens; ++j) {
      const bool cell = hit && j + 1 == i;
      CHECK(after(i, j) == (cell ? 0.0f : usual(i, j)));
      if (cell) CHECK(before(i, j) == 0.0f);
      if (!hit) CHECK(before(i, j) == usual(i, j));
      // The other keys share the attention that the previous token had.
      if (hit && !cell) CHECK(std::abs(before(i, j) - usual(i, j) / (1 - usual(i, i - 1))) < 1e-5);
    }
  }
}

TEST_CASE("single scores are set and moved", "[edits]") {
  const auto network = tiny_network(kSizes);
  const Hook scores{HookKind::scores, 2};
  const Matrix<float> usual = at_hook(network, {}, scores, 1);
  const Matrix<float> set = at_hook(network, {"set_score:2.1:6:2:7.5", "set_score:2.1:6:3:-inf"}, scores, 1);
  const Matrix<float> other = at_hook(network, {"set_score:2.1:6:2:7.5"}, scores, 0);
  const Matrix<float> moved = at_hook(network, {"move_attention:2.1:9:8:4"}, scores, 1);
  const Matrix<float> zeroed = at_hook(network, {"move_attention:2.1:9:8:4:zero"}, scores, 1);
  const Matrix<float> nowhere = at_hook(network, {"move_attention:2.1:9:8:8"}, scores, 1);
  CHECK(nowhere.data == usual.data);
  for (std::size_t i = 0; i < kTokens; ++i)
    for (std::size_t j = 0; j < kTokens; ++j) {
      const bool minus = i == 6 && j == 3;
      if (minus)
        CHECK(std::isinf(set(i, j)));
      else
        CHECK(set(i, j) == (i == 6 && j == 2 ? 7.5f : usual(i, j)));
      const float left = -std::numeric_limits<float>::infinity();
      CHECK(moved(i, j) == (i == 9 && j == 4 ? usual(9, 8) : i == 9 && j == 8 ? left : usual(i, j)));
      CHECK(zeroed(i, j) == (i == 9 && j == 8 ? 0.0f : moved(i, j)));
    }
  CHECK(other(6, 2) == at_hook(network, {}, scores, 0)(6, 2));
  // The future stays masked, whatever its score is set to.
  const Matrix<float> future = at_hook(network, {"set_score:2.1:2:6:50"}, {HookKind::pattern, 2}, 1);
  CHECK(future(2, 6) == 0.0f);
}

TEST_CASE("attention that is moved leaves the first key nothing, whatever its score was", "[edits]") {
  const auto network = tiny_network(kSizes);
  const Hook pattern{HookKind::pattern, 1};
  const char *negative = "set_score:1.1:10:9:-9", *move = "move_attention:1.1:10:9:3";
  CHECK(at_hook(network, {negative, move}, pattern, 1)(10, 9) == 0.0f);
  // The 0 of the published code is more than the score that it replaces.
  const float zeroed = at_hook(network, {negative, std::string(move) + ":zero"}, pattern, 1)(10, 9);
  CHECK(zeroed > at_hook(network, {negative}, pattern, 1)(10, 9));
}

TEST_CASE("an attention weight is set, and the other keys share the rest", "[edits]") {
  const auto network = tiny_network(kSizes);
  const Hook pattern{HookKind::pattern, 1};
  const Matrix<float> usual = at_hook(network, {}, pattern, 1);
  const Matrix<float> set = at_hook(network, {"set_pattern:1.1:10:3:0.75"}, pattern, 1);
  for (std::size_t i = 0; i < kTokens; ++i)
    for (std::size_t j = 0; j < kTokens; ++j)
      if (i != 10) CHECK(set(i, j) == usual(i, j));
  CHECK(set(10, 3) == 0.75f);
  for (const std::size_t j : {0u, 5u, 10u})
    CHECK(set(10, j) == Catch::Approx(usual(10, j) * 0.25f / (1 - usual(10, 3))).epsilon(1e-5));
  CHECK(at_hook(network, {"set_pattern:1.1:10:3:0.75"}, pattern, 0).data == at_hook(network, {}, pattern, 0).data);
  // The future stays masked, and the first token has nobody to share with.
  CHECK(at_hook(network, {"set_pattern:1.1:2:6:1"}, pattern, 1).data == usual.data);
  CHECK(at_hook(network, {"set_pattern:1.1:0:0:0.5"}, pattern, 1).data == usual.data);
}

TEST_CASE("edits of one head act in their order", "[edits]") {
  const auto network = tiny_network(kSizes);
  const Hook scores{HookKind::scores, 1};
  const Matrix<float> usual = at_hook(network, {}, scores, 1);
  const char *set = "set_score:1.1:10:9:7", *move = "move_attention:1.1:10:9:3";
  const Matrix<float> moved = at_hook(network, {set, move}, scores, 1);
  CHECK(moved(10, 3) == 7.0f);
  CHECK(std::isinf(moved(10, 9)));
  const Matrix<float> set_last = at_hook(network, {move, set}, scores, 1);
  CHECK(set_last(10, 3) == usual(10, 9));
  CHECK(set_last(10, 9) == 7.0f);
}

TEST_CASE("without positions and mask, shuffled tokens give shuffled outputs; with the mask they do not", "[edits]") {
  const auto network = tiny_network(kSizes);
  const auto none = std::make_shared<const Matrix<float>>(kSizes.n_ctx, kSizes.d_model);
  const std::vector<std::size_t> order{3, 0, 7, 1, 11, 2, 5, 4, 10, 6, 9, 8};
  const auto out = [&](bool causal, bool shuffled) {
    Asked asked;
    const auto plain = tokens();
    for (std::size_t i = 0; i < kTokens; ++i) asked.tokens.push_back(plain[shuffled ? order[i] : i]);
    asked.edits.causal = causal, asked.edits.positions = none;
    for (std::size_t i = 0; i < kTokens; ++i) asked.logits_at.push_back(i);
    return *run_to_end(forward(network, std::make_shared<Session>(), asked));
  };
  for (const bool causal : {false, true}) {
    const Matrix<float> a = out(causal, false), b = out(causal, true);
    double most = 0;
    for (std::size_t i = 0; i < kTokens; ++i)
      for (std::size_t j = 0; j < a.cols; ++j)
        most = std::max(most, std::abs(static_cast<double>(b(i, j)) - static_cast<double>(a(order[i], j))));
    CHECK((most < 1e-4) == !causal);
  }
}

TEST_CASE("groups of rows of the residual stream become their mean, in one layer", "[edits]") {
  const auto network = tiny_network(kSizes);
  const Matrix<float> plain = at_hook(network, {}, {HookKind::resid_pre, 1}, 0);
  const Matrix<float> grouped = at_hook(network, {"group_residual:1:4"}, {HookKind::resid_pre, 1}, 0);
  // Row 0 stays; 1..4, 5..8 and the last three, 9..11, become one row each.
  CHECK(std::equal(plain.row(0).begin(), plain.row(0).end(), grouped.row(0).begin()));
  for (const auto& [first, count] : {std::pair<std::size_t, std::size_t>(1, 4), {5, 4}, {9, 3}})
    for (std::size_t i = first; i < first + count; ++i)
      for (std::size_t j = 0; j < kSizes.d_model; ++j) {
        double mean = 0;
        for (std::size_t k = 0; k < count; ++k)
          mean += static_cast<double>(plain(first + k, j)) / static_cast<double>(count);
        CHECK(std::fabs(static_cast<double>(grouped(i, j)) - mean) < 1e-6);
      }
}

TEST_CASE("after an edit that looks ahead nothing of a shorter prompt is believed", "[edits]") {
  const auto network = tiny_network(kSizes);
  const auto session = std::make_shared<Session>();
  Matrix<float> after;
  for (std::size_t count = kTokens - 2; count <= kTokens; ++count) {
    Asked asked;
    asked.tokens = tokens();
    asked.tokens.resize(count);
    asked.edits = made({"group_residual:1:4"}, network);
    asked.logits_at = {count - 1};
    auto out = run_to_end(forward(network, session, asked));
    REQUIRE(out);
    after = std::move(*out);
  }
  Matrix<float> fresh;
  at_hook(network, {"group_residual:1:4"}, {HookKind::resid_pre, 1}, 0, &fresh);
  CHECK(std::equal(fresh.data.begin(), fresh.data.end(), after.data.begin()));
}

TEST_CASE("the edited table of positions is made once", "[edits]") {
  const auto network = tiny_network(kSizes);
  const auto table = [&](const std::vector<std::string>& specs) { return made(specs, network).positions; };
  const auto ranked = table({"rank_positions:2"});
  CHECK(table({"scale_head:0.0:2", "rank_positions:2"}) == ranked);  // no edit of the table
  const auto both = table({"rank_positions:2", "shift_positions:1"});
  CHECK(both != ranked);
  CHECK(table({"shift_positions:1", "rank_positions:2"})->data != both->data);  // in another order
  CHECK(table({"rank_positions:2", "shift_positions:1"}) == both);
  CHECK(table({"ablate_head:0.0"}) == nullptr);
}

TEST_CASE("of what a network keeps, the longest unused makes room", "[edits]") {
  KeptMatrices kept;
  const auto quarter = [] { return std::make_shared<const Matrix<float>>(KeptMatrices::kMostBytes / 16, 1); };
  for (const char* name : {"a", "b", "c", "d"}) kept.keep(name, quarter());
  CHECK(kept.find("a"));
  kept.keep("e", quarter());
  CHECK(!kept.find("b"));
  for (const char* name : {"a", "c", "d", "e"}) CHECK(kept.find(name));
  kept.keep("too large", std::make_shared<const Matrix<float>>(KeptMatrices::kMostBytes / 4 + 1, 1));
  CHECK(!kept.find("too large"));
  kept.keep("half", std::make_shared<const Matrix<float>>(KeptMatrices::kMostBytes / 8, 1));
  CHECK((!kept.find("a") && !kept.find("c") && kept.find("d") && kept.find("e") && kept.find("half")));
}

TEST_CASE("extended positions are averaged beside the words, and run once", "[edits]") {
  const auto network = tiny_network(kSizes);
  const Hook before{HookKind::resid_pre, 2};
  const Matrix<float> plain = at_hook(network, {}, before, 0);
  const Matrix<float> moved = at_hook(network, {"average_extended:2:5"}, before, 0);
  // The extended positions: token 1, then token 2 up to the end of the context.
  Asked asked;
  asked.tokens.assign(kSizes.n_ctx, 2);
  asked.tokens[0] = 1;
  Matrix<float> extended(kSizes.n_ctx, kSizes.d_model);
  asked.watch.push_back({before, [&](const Chunk& chunk) {
                           for (std::size_t i = 0; i < chunk.rows.rows; ++i)
                             std::ranges::copy(chunk.rows.row(i), extended.row(i).begin());
                         }});
  REQUIRE(run_to_end(forward(network, std::make_shared<Session>(), asked)));
  for (std::size_t i = 0; i < kTokens; ++i)
    for (std::size_t j = 0; j < kSizes.d_model; ++j) {
      const std::size_t first = i == 0 ? 0 : (i - 1) / 5 * 5 + 1,
                        count = i == 0 ? 1 : std::min(first + 5, kSizes.n_ctx) - first;
      double mean = 0;
      for (std::size_t k = 0; k < count; ++k)
        mean += static_cast<double>(extended(first + k, j)) / static_cast<double>(count);
      const double wanted = static_cast<double>(plain(i, j)) + mean - static_cast<double>(extended(i, j));
      CHECK(std::fabs(static_cast<double>(moved(i, j)) - wanted) < 1e-5);
    }
  CHECK(at_hook(network, {"average_extended:2:5:2"}, before, 0).data == moved.data);
  CHECK(at_hook(network, {"average_extended:2:5:3"}, before, 0).data != moved.data);
  CHECK(network->kept().find("extended positions before 2 of 1 and 2") != nullptr);
}

TEST_CASE("extended positions need <|endoftext|> and a token", "[edits]") {
  const auto network = tiny_network(kSizes);
  const auto sentence = [&](const std::string& spec, const EditedText& text) {
    const auto made = run_to_end(interventions(network, parsed({spec}), text));
    REQUIRE(!made);
    check_sentence(made.error().sentence);
    return made.error().sentence;
  };
  CHECK(sentence("average_extended:1:5:2", {tokens(), {}, {}}).find("<|endoftext|>") != std::string::npos);
  CHECK(sentence("average_extended:1:5", {tokens(), 1, {}}).find("average_extended:layer:g:token") !=
        std::string::npos);
  CHECK(sentence("average_extended:1:5:30", {tokens(), 1, {}}) ==
        "There is no token 30; this model's ids go from 0 to 29.");
  CHECK(tokens_of_edits(parsed({"no_mask", "average_extended:1:5:7"}), {{}, 3, {}}) == std::vector<std::int32_t>{3, 7});
}

TEST_CASE("frozen values are those of the run without edits, for the tokens of that run", "[edits]") {
  const auto network = tiny_network(kSizes);
  for (const auto& [spec, hook] : {std::pair("freeze_patterns", Hook{HookKind::pattern, 2}),
                                   std::pair("freeze_norms", Hook{HookKind::ln1_normalized, 0})}) {
    CAPTURE(spec);
    const Matrix<float> plain = at_hook(network, {}, hook, 1), free = at_hook(network, {"zero_positions"}, hook, 1);
    const Matrix<float> frozen = at_hook(network, {"zero_positions", spec}, hook, 1);
    CHECK(frozen.data != free.data);
    CHECK((frozen.data == plain.data) == (hook.kind == HookKind::pattern));
    Matrix<float> alone, usual;
    at_hook(network, {spec}, hook, 1, &alone);
    at_hook(network, {}, hook, 1, &usual);
    CHECK(alone.data == usual.data);
    const Interventions run = made({spec}, network);
    CHECK(most_tokens(run, network->config()).count == kTokens);
    CHECK(most_tokens(run, network->config()).why == "The frozen values are those of the prompt's 12 tokens");
  }
}

TEST_CASE("positions are averaged in either order, and the others stay", "[edits]") {
  const auto network = tiny_network(kSizes);
  const auto there = made({"average_positions:3:5"}, network).positions;
  const auto back = made({"average_positions:5:3"}, network).positions;
  REQUIRE(there);
  CHECK(there->data == back->data);
  const auto learned = network->positions();
  for (std::size_t j = 0; j < learned.cols; ++j) {
    const float mean = (learned(3, j) + learned(4, j) + learned(5, j)) / 3;
    for (std::size_t i = 0; i < learned.rows; ++i)
      CHECK((*there)(i, j) == Catch::Approx(i >= 3 && i <= 5 ? mean : learned(i, j)).margin(1e-6));
  }
}

namespace {

/// The logits of all positions after a patch of a run with other edits.
Matrix<float> patched(const std::shared_ptr<Network>& network, const std::string& spec, const std::string& other,
                      std::vector<std::int32_t> ids = tokens()) {
  EditedText text{tokens(), 1, 2, OtherRun{std::move(ids), {}, "run with " + other}};
  if (!other.empty()) text.other->edits = made({other}, network);
  auto edits = run_to_end(interventions(network, parsed({spec}), text));
  REQUIRE(edits);
  Asked asked{tokens(), std::move(*edits), {}, {}};
  for (std::size_t i = 0; i < kTokens; ++i) asked.logits_at.push_back(i);
  auto logits = run_to_end(forward(network, std::make_shared<Session>(), asked));
  REQUIRE(logits);
  return std::move(*logits);
}

Matrix<float> plain(const std::shared_ptr<Network>& network, const std::vector<std::string>& specs) {
  Asked asked{tokens(), made(specs, network), {}, {}};
  for (std::size_t i = 0; i < kTokens; ++i) asked.logits_at.push_back(i);
  auto logits = run_to_end(forward(network, std::make_shared<Session>(), asked));
  REQUIRE(logits);
  return std::move(*logits);
}

}  // namespace

TEST_CASE("a patch from the same run changes no bit, at any hook", "[edits][patch]") {
  const auto network = tiny_network(kSizes);
  const Matrix<float> usual = plain(network, {});
  for (const Hook hook : all_hooks(kSizes.n_layer)) {
    CAPTURE(hook_name(hook));
    CHECK(patched(network, "patch:" + hook_name(hook), "").data == usual.data);
    CHECK(patched(network, "patch:" + hook_name(hook) + ":4", "").data == usual.data);
  }
  CHECK(patched(network, "patch:blocks.1.attn.hook_z:4:1", "").data == usual.data);
  CHECK(patched(network, "patch:blocks.1.attn.hook_pattern:4:1", "").data == usual.data);
}

TEST_CASE("a patch carries the other run over: all of it, or what is named", "[edits][patch]") {
  const auto network = tiny_network(kSizes);
  const Matrix<float> usual = plain(network, {}), other = plain(network, {"zero_positions"});
  // The whole stream before a layer decides everything after it.
  CHECK(patched(network, "patch:blocks.1.hook_resid_pre", "zero_positions").data == other.data);
  const Matrix<float> one = patched(network, "patch:blocks.1.hook_resid_pre:5", "zero_positions");
  for (std::size_t i = 0; i < kTokens; ++i) {
    const bool same = std::ranges::equal(one.row(i), usual.row(i));
    CHECK(same == (i < 5));  // positions before it cannot see it
  }
  // A head that the other run has silenced.
  const Matrix<float> off = plain(network, {"ablate_head:1.1"});
  CHECK(patched(network, "patch:blocks.1.attn.hook_z", "ablate_head:1.1").data == off.data);
  CHECK(patched(network, "patch:blocks.1.attn.hook_z:11:1", "ablate_head:1.1").data != usual.data);
  CHECK(patched(network, "patch:blocks.1.attn.hook_z:11:0", "ablate_head:1.1").data == usual.data);
}

TEST_CASE("a patch that cannot be made says why", "[edits][patch]") {
  const auto network = tiny_network(kSizes);
  const auto sentence = [&](const std::string& spec, std::optional<std::size_t> n) {
    EditedText text{tokens(), 1, 2, {}};
    if (n) text.other = OtherRun{std::vector<std::int32_t>(*n, 3), {}, "other"};
    const auto made = run_to_end(interventions(network, parsed({spec}), text));
    REQUIRE(!made);
    check_sentence(made.error().sentence);
    return made.error().sentence;
  };
  CHECK(sentence("patch:blocks.1.hook_resid_pre", {}).find("comparison") != std::string::npos);
  CHECK(sentence("patch:blocks.1.hook_nothing", 12).find("hook_nothing") != std::string::npos);
  CHECK(sentence("patch:blocks.3.hook_resid_pre", 12).find("layer 3") != std::string::npos);
  CHECK(sentence("patch:blocks.1.hook_resid_pre:3:1", 12).find("single heads") != std::string::npos);
  CHECK(sentence("patch:blocks.1.attn.hook_z:3:2", 12).find("head 2") != std::string::npos);
  CHECK(sentence("patch:blocks.1.attn.hook_z", 9).find("12 and 9 tokens") != std::string::npos);
  CHECK(sentence("patch:blocks.1.attn.hook_z:9", 9).find("no position 9") != std::string::npos);
  CHECK(sentence("patch:blocks.1.attn.hook_pattern:3", 9).find("one length") != std::string::npos);
}

}  // namespace model_edits_test
