// The pool of sessions: whatever it keeps or drops, a pass gives the same bits.
#include <cmath>

#include "model/edits.h"
#include "model/forward.h"
#include "tests/model/tiny_network.h"

namespace sessions_test {

using namespace helix;
using namespace helix::model;
using namespace helix::testing;

namespace {

const TinySizes kSizes{4, 24, 2, 30, 50};

Asked asked_for(std::vector<std::int32_t> tokens, const std::shared_ptr<Network>& network,
                const std::string& edit = "") {
  Asked asked;
  asked.tokens = std::move(tokens);
  asked.logits_at = {asked.tokens.size() - 1};
  if (edit.empty()) return asked;
  const auto parsed = parse_edit(edit);
  REQUIRE(parsed);
  auto made = run_to_end(interventions(network, Edits{{edit, *parsed}}, {}));
  REQUIRE(made);
  asked.edits = std::move(*made);
  return asked;
}

std::vector<std::int32_t> text(std::size_t n, std::int32_t start = 3) {
  std::vector<std::int32_t> ids;
  for (std::size_t i = 0; i < n; ++i) ids.push_back((start + static_cast<std::int32_t>(i * 7)) % 50);
  return ids;
}

/// Counts the layers that a pass runs.
struct Ran {
  Matrix<float> logits;
  std::size_t steps = 0;
};

Ran run(const std::shared_ptr<Network>& network, const std::shared_ptr<Sessions>& sessions, Asked asked) {
  Job<Expected<Matrix<float>>> job(forward(network, sessions, std::move(asked)));
  Ran ran;
  job.context().on_progress = [&](Progress p) { ran.steps += p.total > 0; };
  while (!job.step()) {
  }
  auto logits = job.take();
  REQUIRE(logits);
  ran.logits = std::move(*logits);
  return ran;
}

Matrix<float> alone(const std::shared_ptr<Network>& network, Asked asked) {
  return *run_to_end(forward(network, std::make_shared<Session>(), std::move(asked)));
}

bool same_bits(const Matrix<float>& a, const Matrix<float>& b) {
  const bool same_size = a.data.size() == b.data.size();
  return same_size && (a.data.empty() || std::memcmp(a.data.data(), b.data.data(), a.data.size() * 4) == 0);
}

}  // namespace

TEST_CASE("baseline and edited runs do not evict each other", "[model][sessions]") {
  const auto network = tiny_network(kSizes);
  const auto sessions = std::make_shared<Sessions>();
  const Asked plain = asked_for(text(9), network), edited = asked_for(text(9), network, "ablate_head:2.1");
  CHECK(run(network, sessions, plain).steps == 4);
  const Ran first = run(network, sessions, edited);
  CHECK(first.steps == 2);  // from the edit's layer on
  CHECK(same_bits(first.logits, alone(network, edited)));
  const Ran again = run(network, sessions, plain), edited_again = run(network, sessions, edited);
  CHECK(again.steps == 0);
  CHECK(edited_again.steps == 0);
  CHECK(same_bits(again.logits, alone(network, plain)));
  CHECK(same_bits(edited_again.logits, first.logits));
  CHECK(sessions->size() == 2);
}

TEST_CASE("while an edit is dragged the baseline stays", "[model][sessions]") {
  const auto network = tiny_network(kSizes);
  const auto sessions = std::make_shared<Sessions>(3);
  const Asked plain = asked_for(text(9), network);
  (void)run(network, sessions, plain);
  for (int i = 0; i < 8; ++i) {
    const Asked edited = asked_for(text(9), network, "scale_head:1.0:" + std::to_string(i) + ".5");
    const Ran ran = run(network, sessions, edited);
    CHECK(ran.steps == 3);
    CHECK(same_bits(ran.logits, alone(network, edited)));
    CHECK(sessions->size() <= 3);
  }
  CHECK(run(network, sessions, plain).steps == 0);
}

TEST_CASE("a text that grows uses its session, another text gets one of its own", "[model][sessions]") {
  const auto network = tiny_network(kSizes);
  const auto sessions = std::make_shared<Sessions>();
  (void)run(network, sessions, asked_for(text(5), network));
  const Ran longer = run(network, sessions, asked_for(text(8), network));
  CHECK(sessions->size() == 1);
  CHECK(same_bits(longer.logits, alone(network, asked_for(text(8), network))));
  const Ran other = run(network, sessions, asked_for(text(8, 11), network));
  CHECK(sessions->size() == 2);
  CHECK(same_bits(other.logits, alone(network, asked_for(text(8, 11), network))));
  CHECK(run(network, sessions, asked_for(text(8), network)).steps == 0);
  CHECK(run(network, sessions, asked_for(text(3), network)).steps == 0);  // a beginning of it
}

TEST_CASE("sessions stay within their memory", "[model][sessions]") {
  const auto network = tiny_network(kSizes);
  const std::size_t one = (3 * 4 + 1) * 20 * 24 * sizeof(float);
  const auto sessions = std::make_shared<Sessions>(8, 2 * one + one / 2);
  for (std::int32_t start = 0; start < 6; ++start) {
    (void)run(network, sessions, asked_for(text(20, start), network));
    CHECK(sessions->size() <= 2);
  }
  CHECK(sessions->size() >= 1);
}

TEST_CASE("random passes through the pool give the bits of a pass alone", "[model][sessions]") {
  const auto network = tiny_network(kSizes);
  const auto sessions = std::make_shared<Sessions>(3);
  Dice dice(11);
  const std::vector<std::string> edits{"",        "ablate_head:2.1", "scale_head:0.0:2",
                                       "no_mask", "zero_tokens",     "group_residual:1:3"};
  for (int i = 0; i < 60; ++i) {
    Asked asked =
        asked_for(text(2 + dice.below(8), static_cast<std::int32_t>(dice.below(3))), network, dice.one_of(edits));
    if (dice.below(4) == 0) asked.layers = 1 + dice.below(3);
    asked.once = dice.below(3) == 0;
    const Matrix<float> expected = alone(network, asked);
    Job<Expected<Matrix<float>>> job(forward(network, sessions, asked));
    job.context().should_pause = [] { return true; };
    bool done = false;
    for (std::size_t steps = dice.below(3) ? 1000 : dice.below(12); steps > 0 && !done; --steps) done = job.step();
    if (done) CHECK(same_bits(*job.take(), expected));
  }
}

TEST_CASE("a pass that runs once takes from the pool and leaves it as it was", "[model][sessions]") {
  const auto network = tiny_network(kSizes);
  const auto sessions = std::make_shared<Sessions>();
  (void)run(network, sessions, asked_for(text(9), network));
  const std::size_t bytes = sessions->bytes();
  const auto once = [&](Asked asked, std::size_t steps) {
    const Matrix<float> expected = alone(network, asked);
    asked.once = true;
    const Ran ran = run(network, sessions, std::move(asked));
    CHECK(ran.steps == steps);
    CHECK(same_bits(ran.logits, expected));
  };
  once(asked_for(text(9), network), 0);
  once(asked_for(text(9), network, "ablate_head:2.1"), 2);
  once(asked_for(text(9), network, "ablate_head:2.1"), 2);
  once(asked_for(text(9), network, "zero_positions"), 4);
  once(asked_for(text(7, 11), network), 4);
  Asked watched = asked_for(text(9), network, "ablate_head:2.1");
  std::size_t rows = 0;
  watched.watch = {{{HookKind::pattern, 1}, [&](const Chunk& chunk) { rows += chunk.rows.rows; }}};
  once(watched, 3);
  CHECK(rows == 2 * 2 * 9);  // alone and in the pool, two heads
  CHECK(sessions->size() == 1);
  CHECK(sessions->bytes() == bytes);
  CHECK(run(network, sessions, asked_for(text(9), network)).steps == 0);
}

TEST_CASE("a pass that runs once has room for one layer", "[model][sessions]") {
  const auto network = tiny_network(kSizes);
  const auto kept = std::make_shared<Session>(), once = std::make_shared<Session>();
  once->once = true;
  REQUIRE(run_to_end(forward(network, kept, asked_for(text(9), network))));
  REQUIRE(run_to_end(forward(network, once, asked_for(text(9), network))));
  const std::size_t cache = kept->stages[0].cache.bytes(), rows = kept->stages[0].resid_pre.data.size() * sizeof(float);
  CHECK(kept->bytes() == 4 * cache + 5 * rows);
  CHECK(once->bytes() == cache + 2 * rows);
}

TEST_CASE("a change without a key is made anew each time", "[model][sessions]") {
  const auto network = tiny_network(kSizes);
  const auto sessions = std::make_shared<Sessions>();
  const auto with = [&](float factor) {
    Asked asked = asked_for(text(6), network);
    asked.edits.taps.push_back({{HookKind::resid_pre, 1}, [=](const Chunk& chunk) {
                                  for (std::size_t i = 0; i < chunk.rows.rows; ++i)
                                    for (float& x : chunk.rows.row(i)) x *= factor;
                                }});
    return asked;
  };
  for (const float factor : {2.0f, 3.0f, 2.0f})
    CHECK(same_bits(run(network, sessions, with(factor)).logits, alone(network, with(factor))));
}

}  // namespace sessions_test
