// The forward pass against a plain one in double, and its properties that must hold bit for bit.
#include "model/forward.h"

#include <set>

#include "model/edits.h"
#include "tests/model/tiny_network.h"

namespace model_forward_test {

using namespace helix;
using namespace helix::model;
using namespace helix::testing;

namespace {

const std::vector<TinySizes> kShapes{{1, 8, 1, 6, 11},           // one layer, one head
                                     {3, 24, 2, 17, 50},         // d_head 12
                                     {2, 35, 5, 40, 13, false},  // no size divides another; an output head of its own
                                     {2, 64, 1, 70, 300},
                                     {3, 128, 2, 50, 70}};

std::vector<std::int32_t> some_tokens(std::size_t n, std::size_t n_vocab, unsigned seed = 5) {
  Dice dice(seed);
  std::vector<std::int32_t> tokens(n);
  for (auto& id : tokens) id = static_cast<std::int32_t>(dice.below(n_vocab));
  return tokens;
}

std::vector<std::size_t> all_positions(std::size_t n) {
  std::vector<std::size_t> at(n);
  for (std::size_t i = 0; i < n; ++i) at[i] = i;
  return at;
}

Asked asked_for(std::vector<std::int32_t> tokens, std::vector<std::size_t> at = {}) {
  Asked asked;
  asked.tokens = std::move(tokens);
  asked.logits_at = std::move(at);
  return asked;
}

Matrix<float> run(const std::shared_ptr<Network>& network, Asked asked, std::shared_ptr<Session> session = nullptr) {
  if (!session) session = std::make_shared<Session>();
  const auto logits = run_to_end(forward(network, session, std::move(asked)));
  REQUIRE(logits);
  return *logits;
}

Interventions edits_of(const std::vector<std::string>& specs, const std::shared_ptr<Network>& network, std::size_t n) {
  Edits edits;
  for (const std::string& spec : specs) {
    const auto parsed = parse_edit(spec);
    REQUIRE(parsed);
    edits.emplace_back(spec, *parsed);
  }
  REQUIRE(check_edits(edits, network->config(), n));
  auto made = run_to_end(interventions(network, edits, {}));
  REQUIRE(made);
  return std::move(*made);
}

/// Everything that a hook shows; for hooks per head, one head's rows after the other's.
struct Seen {
  std::vector<std::vector<float>> rows;
  std::size_t calls = 0;
  std::set<std::pair<std::size_t, std::size_t>> places;  // (head, position) that the tap has seen
};

Tap collect(Hook hook, std::size_t n, Seen* seen) {
  return {hook, [=](const Chunk& chunk) {
            ++seen->calls;
            for (std::size_t i = 0; i < chunk.rows.rows; ++i) {
              const std::size_t at = chunk.head * n + chunk.first + i;
              if (seen->rows.size() <= at) seen->rows.resize(at + 1);
              seen->rows[at].assign(chunk.rows.row(i).begin(), chunk.rows.row(i).end());
              CHECK(seen->places.insert({chunk.head, chunk.first + i}).second);
            }
          }};
}

void compare(const std::vector<std::vector<float>>& here, const helix::testing::Rows& there) {
  REQUIRE(here.size() == there.size());
  double most = 0, difference = 0;
  for (std::size_t i = 0; i < there.size(); ++i) {
    REQUIRE(here[i].size() == there[i].size());
    for (std::size_t j = 0; j < there[i].size(); ++j) {
      if (std::isinf(there[i][j])) {
        REQUIRE(static_cast<double>(here[i][j]) == there[i][j]);
        continue;
      }
      most = std::max(most, std::abs(there[i][j]));
      difference = std::max(difference, std::abs(static_cast<double>(here[i][j]) - there[i][j]));
    }
  }
  CHECK(difference <= 5e-5 * most);
}

bool same_bits(const Matrix<float>& a, const Matrix<float>& b) {
  return a.rows == b.rows && a.cols == b.cols &&
         (a.data.empty() || std::memcmp(a.data.data(), b.data.data(), a.data.size() * sizeof(float)) == 0);
}

/// Runs `work` with each of the kernels, then restores the default ones.
template <class Work>
void with_each_kernel(Work work) {
  const std::string usual(kernels::active().name);
  for (const kernels::Table& table : kernels::tables()) {
    REQUIRE(kernels::force(table.name));
    INFO(table.name);
    work();
  }
  REQUIRE(kernels::force(usual));
}

}  // namespace

TEST_CASE("every hook and every logit is that of a plain forward pass", "[forward]") {
  with_each_kernel([] {
    for (const TinySizes& sizes : kShapes) {
      CAPTURE(sizes.d_model, sizes.n_head);
      Tensors tensors;
      const auto network = tiny_network(sizes, 0.3, 3, &tensors);
      const std::size_t n = sizes.n_ctx - 1;
      Asked asked = asked_for(some_tokens(n, sizes.n_vocab), all_positions(n));
      const std::vector<Hook> hooks = all_hooks(sizes.n_layer);
      std::vector<Seen> seen(hooks.size());
      for (std::size_t i = 0; i < hooks.size(); ++i) asked.watch.push_back(collect(hooks[i], n, &seen[i]));
      const Plain plain = PlainGpt2(sizes, tensors).run(asked.tokens);
      const Matrix<float> logits = run(network, asked);
      for (std::size_t i = 0; i < hooks.size(); ++i) {
        CAPTURE(hook_name(hooks[i]));
        compare(seen[i].rows, plain.hooks.at(hook_name(hooks[i])));
        if (!has_heads_apart(hooks[i].kind)) CHECK(seen[i].calls == 1);
      }
      std::vector<std::vector<float>> rows;
      for (std::size_t i = 0; i < n; ++i) rows.emplace_back(logits.row(i).begin(), logits.row(i).end());
      compare(rows, plain.logits);
      // Observing a hook must not change the result.
      asked.watch.clear();
      CHECK(same_bits(run(network, asked), logits));
    }
  });
}

TEST_CASE("without the mask every token sees every other", "[forward]") {
  Tensors tensors;
  const TinySizes sizes = kShapes[1];
  const auto network = tiny_network(sizes, 0.3, 3, &tensors);
  Asked asked = asked_for(some_tokens(9, sizes.n_vocab), all_positions(9));
  asked.edits = edits_of({"no_mask"}, network, 9);
  const Matrix<float> logits = run(network, asked);
  const Plain plain = PlainGpt2(sizes, tensors).run(asked.tokens, false);
  std::vector<std::vector<float>> rows;
  for (std::size_t i = 0; i < 9; ++i) rows.emplace_back(logits.row(i).begin(), logits.row(i).end());
  compare(rows, plain.logits);
}

TEST_CASE("an edit that changes nothing changes no bit, and one that does changes the logits", "[forward]") {
  for (const TinySizes& sizes : {kShapes[1], kShapes[2]}) {
    const auto network = tiny_network(sizes);
    const std::size_t n = 12;
    const Asked plain = asked_for(some_tokens(n, sizes.n_vocab), {n - 1});
    const Matrix<float> usual = run(network, plain);
    for (const Hook hook : all_hooks(sizes.n_layer)) {
      CAPTURE(hook_name(hook));
      Asked asked = plain;
      asked.edits.taps.push_back({hook, [](const Chunk& chunk) {
                                    for (std::size_t i = 0; i < chunk.rows.rows; ++i)
                                      for (float& x : chunk.rows.row(i)) x += 0.0f;
                                  }});
      CHECK(same_bits(run(network, asked), usual));
      asked.edits.taps[0].see = [](const Chunk& chunk) {
        for (std::size_t i = 0; i < chunk.rows.rows; ++i) {
          float factor = 1.1f;
          for (float& x : chunk.rows.row(i)) x *= factor, factor += 0.3f;
        }
      };
      CHECK(!same_bits(run(network, asked), usual));
    }
  }
}

TEST_CASE("no position depends on a later token", "[forward]") {
  const TinySizes sizes = kShapes[4];
  const auto network = tiny_network(sizes);
  const std::size_t n = 40;
  const auto tokens = some_tokens(n, sizes.n_vocab);
  const Matrix<float> usual = run(network, asked_for(tokens, all_positions(n)));
  for (const std::size_t changed : {std::size_t{0}, std::size_t{17}, std::size_t{32}, n - 1}) {
    auto other = tokens;
    other[changed] = (other[changed] + 1) % static_cast<std::int32_t>(sizes.n_vocab);
    const Matrix<float> logits = run(network, asked_for(other, all_positions(n)));
    for (std::size_t i = 0; i < n; ++i) {
      const bool same = std::memcmp(logits.row(i).data(), usual.row(i).data(), sizes.n_vocab * sizeof(float)) == 0;
      CHECK(same == (i < changed));
    }
  }
}

TEST_CASE("token by token, in pieces or at once: the same bits", "[forward]") {
  with_each_kernel([] {
    for (const TinySizes& sizes : kShapes) {
      CAPTURE(sizes.d_model, sizes.n_head);
      const auto network = tiny_network(sizes);
      const std::size_t n = sizes.n_ctx;
      const auto tokens = some_tokens(n, sizes.n_vocab);
      const Matrix<float> usual = run(network, asked_for(tokens, all_positions(n)));
      for (const std::size_t step : {std::size_t{1}, std::size_t{3}, std::size_t{7}}) {
        const auto session = std::make_shared<Session>();
        for (std::size_t end = step; end <= n; end += step) {
          const std::vector<std::int32_t> so_far(tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(end));
          const Matrix<float> last = run(network, asked_for(so_far, {end - 1}), session);
          CHECK(std::memcmp(last.data.data(), usual.row(end - 1).data(), sizes.n_vocab * sizeof(float)) == 0);
        }
      }
    }
  });
}

TEST_CASE("a cached pass runs only the new rows and the changed layers", "[forward]") {
  const TinySizes sizes{4, 24, 2, 30, 50};
  const auto network = tiny_network(sizes);
  const auto session = std::make_shared<Session>();
  const auto tokens = some_tokens(20, sizes.n_vocab);
  std::size_t layers = 0;
  const auto count = [&](Asked asked) {
    layers = 0;
    Job<Expected<Matrix<float>>> job(forward(network, session, std::move(asked)));
    job.context().on_progress = [&](Progress) { ++layers; };
    while (!job.step()) {
    }
    auto logits = job.take();
    REQUIRE(logits);
    return *logits;
  };
  const Matrix<float> usual = count(asked_for(tokens, {19}));
  CHECK(layers == 4);
  CHECK(same_bits(count(asked_for(tokens, {19})), usual));
  CHECK(layers == 0);  // nothing has changed: only the logits are computed
  for (const std::string spec : {"ablate_head:2.1", "scale_attn:3:2", "mask_previous:1-2:2", "ablate_head:0.0"}) {
    CAPTURE(spec);
    Asked edited = asked_for(tokens, {19});
    edited.edits = edits_of({spec}, network, 20);
    const Matrix<float> again = count(edited);
    const std::size_t first = spec == "scale_attn:3:2" ? 3 : spec == "ablate_head:2.1" ? 2 : spec[0] == 'm' ? 1 : 0;
    CHECK(layers <= 4 - (first == 0 || first == 1 ? first : 2));  // reuses the layers before the first change
    CHECK(same_bits(again, run(network, edited)));                // as in a run without a cache
    CHECK(!same_bits(again, usual));
    CHECK(same_bits(count(asked_for(tokens, {19})), usual));  // switched off, the result is as before
    CHECK(layers == 4 - first);
  }
  Asked watched = asked_for(tokens, {19});
  Seen seen;
  watched.watch.push_back(collect({HookKind::pattern, 2}, 20, &seen));
  CHECK(same_bits(count(watched), usual));
  CHECK(layers == 2);
  watched = asked_for(tokens);
  watched.layers = 3;
  CHECK(count(watched).data.empty());
  CHECK(layers == 0);
}

TEST_CASE("a text that begins as the last one did is run from where it differs", "[forward]") {
  const TinySizes sizes{3, 24, 2, 30, 50};
  const auto network = tiny_network(sizes);
  const auto session = std::make_shared<Session>();
  Dice dice(3);
  auto tokens = some_tokens(20, sizes.n_vocab);
  for (int round = 0; round < 60; ++round) {
    CAPTURE(round);
    if (dice.below(3) == 0) tokens.resize(1 + dice.below(29), 7);
    tokens[dice.below(tokens.size())] = static_cast<std::int32_t>(dice.below(50));
    Asked asked = asked_for(tokens, {dice.below(tokens.size())});
    if (dice.below(4) == 0)
      asked.edits = edits_of({dice.below(2) ? "no_mask" : "ablate_head:1.0"}, network, tokens.size());
    if (dice.below(4) == 0) asked.layers = 1 + dice.below(3);
    Job<Expected<Matrix<float>>> job(forward(network, session, asked));
    job.context().should_pause = [] { return true; };
    bool done = false;
    for (std::size_t steps = dice.below(2) ? 1000 : dice.below(12); steps > 0 && !done; --steps) done = job.step();
    if (done) CHECK(same_bits(*job.take(), run(network, asked)));
  }
}

TEST_CASE("an edit of the residual stream is made once, however often the pass begins there", "[forward]") {
  const TinySizes sizes{3, 24, 2, 30, 50};
  const auto network = tiny_network(sizes);
  const auto session = std::make_shared<Session>();
  Asked asked = asked_for(some_tokens(9, sizes.n_vocab), {8});
  asked.edits.taps.push_back({{HookKind::resid_pre, 1},
                              [](const Chunk& chunk) {
                                for (std::size_t i = 0; i < chunk.rows.rows; ++i)
                                  for (float& x : chunk.rows.row(i)) x *= 2;
                              },
                              std::nullopt,
                              "twice"});
  const Matrix<float> first = run(network, asked, session);
  Seen seen;
  asked.watch.push_back(collect({HookKind::resid_pre, 1}, 9, &seen));
  CHECK(same_bits(run(network, asked, session), first));
  asked.watch.clear();
  CHECK(same_bits(run(network, asked), first));
}

TEST_CASE("a pass stops within a layer of cancel, and the next one is none the worse", "[forward]") {
  const TinySizes sizes{3, 24, 2, 60, 50};
  const auto network = tiny_network(sizes);
  const Asked plain = asked_for(some_tokens(50, sizes.n_vocab), {49});
  const Matrix<float> usual = run(network, plain);
  std::size_t steps = 0;
  const auto session = std::make_shared<Session>();
  for (std::size_t stop_after = 1;; stop_after += 3) {
    Asked asked = plain;
    asked.tokens[0] = 1 - std::min(asked.tokens[0], 1);  // another text: all of it runs
    if (stop_after % 2) asked.edits = edits_of({"ablate_head:1.0"}, network, 50);
    Job<Expected<Matrix<float>>> job(forward(network, session, asked));
    job.context().should_pause = [] { return true; };
    bool done = false;
    for (steps = 0; steps < stop_after && !done; ++steps) done = job.step();
    if (done) break;
    CHECK(same_bits(run(network, plain, session), usual));
  }
  CHECK(steps > 3 * 6);  // several places in each layer where it could have stopped
}

TEST_CASE("what cannot run is said", "[forward]") {
  const TinySizes sizes = kShapes[0];
  const auto network = tiny_network(sizes);
  const auto sentence = [&](Asked asked) {
    const auto logits = run_to_end(forward(network, std::make_shared<Session>(), std::move(asked)));
    REQUIRE(!logits);
    return logits.error().sentence;
  };
  CHECK(sentence(asked_for({})) == "There is nothing to run: the prompt is empty.");
  CHECK(sentence(asked_for({0, 11})) == "There is no token 11; this model's ids go from 0 to 10.");
  CHECK(sentence(asked_for({-1})) == "There is no token -1; this model's ids go from 0 to 10.");
  CHECK(sentence(asked_for(some_tokens(7, 11))) == "The prompt has 7 tokens, but this model reads at most 6.");
}

TEST_CASE("hooks are read by their names", "[forward]") {
  for (const Hook hook : all_hooks(3)) {
    const auto parsed = parse_hook(hook_name(hook), 3);
    REQUIRE(parsed);
    CHECK(*parsed == hook);
  }
  CHECK(all_hooks(2).size() == 4 + 2 * 19);
  for (const char* name : {"", "hook_pattern", "blocks.0", "blocks.3.hook_resid_pre", "blocks.-1.hook_resid_pre",
                           "blocks.x.hook_resid_pre", "blocks.0.hook_embed", "hook_resid_pre"})
    CHECK(!parse_hook(name, 3));
  CHECK(parse_hook("blocks.3.hook_resid_pre", 3).error().sentence == "There is no layer 3; the last one is 2.");
}

TEST_CASE("in 8 bits it is nearly the same, with each of the kernels the same bits, and made from floats the same",
          "[forward][q8]") {
  const TinySizes sizes{2, 128, 2, 30, 90};
  const Bytes file = tiny_checkpoint(sizes, 0.1);
  const auto tokens = some_tokens(25, sizes.n_vocab);
  const auto made = [&](Precision precision) {
    auto weights = std::make_shared<checkpoint::WeightFile>("tiny", file.size());
    REQUIRE(weights->feed(0, file));
    auto network = Network::make(weights, tiny_config(sizes, *weights->header()), "tiny", precision);
    REQUIRE(network);
    weights->want((*network)->unread());
    REQUIRE(weights->feed(0, file));
    REQUIRE(run_to_end((*network)->prepare()));
    return *network;
  };
  const auto floats = made(Precision::f32);
  const Matrix<float> usual = run(floats, asked_for(tokens, all_positions(25)));
  const Matrix<float> eight = run(made(Precision::q8), asked_for(tokens, all_positions(25)));
  double most = 0, difference = 0;
  for (std::size_t i = 0; i < usual.data.size(); ++i) {
    most = std::max(most, std::abs(static_cast<double>(usual.data[i])));
    difference =
        std::max(difference, std::abs(static_cast<double>(usual.data[i]) - static_cast<double>(eight.data[i])));
  }
  CHECK(difference > 0);
  CHECK(difference < 0.05 * most);
  const auto from_floats = Network::quantised(floats);
  CHECK(from_floats->unread().empty());
  REQUIRE(run_to_end(from_floats->prepare()));
  CHECK(same_bits(run(from_floats, asked_for(tokens, all_positions(25))), eight));
  // Token by token gives the same as at once, and observing hooks changes nothing.
  const auto session = std::make_shared<Session>();
  for (std::size_t end = 1; end <= tokens.size(); ++end) {
    const std::vector<std::int32_t> so_far(tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(end));
    const Matrix<float> last = run(from_floats, asked_for(so_far, {end - 1}), session);
    CHECK(std::memcmp(last.data.data(), eight.row(end - 1).data(), sizes.n_vocab * sizeof(float)) == 0);
  }
  Asked watched = asked_for(tokens, all_positions(25));
  Seen seen;
  watched.watch.push_back(collect({HookKind::result, 1}, 25, &seen));
  CHECK(same_bits(run(from_floats, watched), eight));
}

TEST_CASE("a pass reads as many tokens as its table of positions has rows", "[forward]") {
  const TinySizes sizes = kShapes[1];
  const auto network = tiny_network(sizes);
  Asked asked = asked_for(some_tokens(5, sizes.n_vocab), {4});
  asked.edits = edits_of({"shift_positions:12"}, network, 5);
  CHECK(most_tokens(asked.edits, network->config()).count == 5);
  run(network, asked);
  asked.tokens.push_back(0);
  const auto refused = run_to_end(forward(network, std::make_shared<Session>(), asked));
  REQUIRE(!refused);
  CHECK(refused.error().sentence == "The edited table of positions has rows for 5 tokens, but the text has 6.");
}

}  // namespace model_forward_test
