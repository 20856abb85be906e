// The number of threads changes no bit of the results: for a text read at once, token by token, edited, and observed.
#include "kernels/threads.h"

#include <cstring>

#include "model/capture.h"
#include "model/edits.h"
#include "model/forward.h"
#include "model/self_check.h"
#include "tests/model/tiny_network.h"

namespace model_threads_test {

using namespace helix;
using namespace helix::model;
using namespace helix::testing;

namespace {

constexpr std::size_t kCounts[] = {2, 3, 4, 7};
// Wide enough for products, rows and heads to be shared; 5 heads of 40, and a vocabulary that ends inside a panel.
const TinySizes kSizes{2, 200, 5, 150, 1003};

std::vector<std::int32_t> some_tokens(std::size_t n) {
  Dice dice(3);
  std::vector<std::int32_t> tokens(n);
  for (auto& id : tokens) id = static_cast<std::int32_t>(dice.below(kSizes.n_vocab));
  return tokens;
}

/// All results of a network for a text: read at once, then a token at a time, then with edits in the same session. The
/// last edit is applied head by head, and taps read patterns and values.
std::vector<std::vector<float>> everything(const std::shared_ptr<Network>& network) {
  std::vector<std::vector<float>> all;
  const auto session = std::make_shared<Session>();
  const auto run = [&](Asked asked) {
    const auto logits = run_to_end(forward(network, session, std::move(asked)));
    REQUIRE(logits);
    all.push_back(logits->data);
  };
  Asked asked;
  asked.tokens = some_tokens(131);
  asked.logits_at = {0, 17, 130};
  run(asked);
  for (int i = 0; i < 3; ++i) {
    asked.tokens.push_back(i);
    asked.logits_at = {asked.tokens.size() - 1};
    run(asked);
  }
  for (const char* spec : {"ablate_head:1.3", "no_mask", "mask_previous:0-1:5"}) {
    const auto parsed = parse_edit(spec);
    REQUIRE(parsed);
    asked.edits = *run_to_end(interventions(network, Edits{{spec, *parsed}}, {}));
    run(asked);
  }
  std::vector<Capture> captures;
  for (const Hook hook : {Hook{HookKind::pattern, 1}, Hook{HookKind::v, 0}, Hook{HookKind::mlp_post, 1}})
    captures.emplace_back(hook, network->config(), asked.tokens.size());
  for (Capture& capture : captures) asked.watch.push_back(capture.tap());
  run(asked);
  for (const Capture& capture : captures) all.push_back(capture.data());
  return all;
}

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

}  // namespace

TEST_CASE("a number of threads changes no bit", "[model][threads]") {
  const auto floats = tiny_network(kSizes);
  const auto eight = Network::quantised(floats);
  REQUIRE(run_to_end(eight->prepare()));
  for (const auto& network : {floats, eight}) {
    CAPTURE(network->precision_text());
    network->run_on(std::make_shared<kernels::Threads>(1));
    const auto alone = everything(network);
    for (const std::size_t count : kCounts) {
      CAPTURE(count);
      network->run_on(std::make_shared<kernels::Threads>(count));
      const auto together = everything(network);
      REQUIRE(together.size() == alone.size());
      for (std::size_t i = 0; i < alone.size(); ++i) {
        CAPTURE(i);
        CHECK(same_bits(together[i], alone[i]));
      }
    }
  }
}

TEST_CASE("on every kernels' panels too", "[model][threads]") {
  const std::string_view before = kernels::active().name;
  for (const kernels::Table& table : kernels::tables()) {
    CAPTURE(table.name);
    REQUIRE(kernels::force(table.name));
    const auto network = tiny_network({1, 96, 3, 40, 301});
    Asked asked;
    asked.tokens.assign(40, 7);
    asked.logits_at = {39};
    const auto run = [&](std::size_t count) {
      network->run_on(std::make_shared<kernels::Threads>(count));
      return *run_to_end(forward(network, std::make_shared<Session>(), asked));
    };
    const auto alone = run(1);
    for (const std::size_t count : kCounts) CHECK(same_bits(run(count).data, alone.data));
  }
  REQUIRE(kernels::force(before));
}

TEST_CASE("a pass that is dropped in the middle leaves its threads for the next", "[model][threads]") {
  const auto network = tiny_network(kSizes);
  network->run_on(std::make_shared<kernels::Threads>(3));
  Asked asked;
  asked.tokens = some_tokens(100);
  asked.logits_at = {99};
  const auto whole = run_to_end(forward(network, std::make_shared<Session>(), asked));
  REQUIRE(whole);
  const auto session = std::make_shared<Session>();
  for (int steps = 1; steps < 40; steps += 3) {
    Job job(forward(network, session, asked));
    job.context().should_pause = [] { return true; };
    for (int i = 0; i < steps && !job.step(); ++i) {
    }
  }
  const auto again = run_to_end(forward(network, session, asked));
  REQUIRE(again);
  CHECK(same_bits(again->data, whole->data));
  CHECK(*run_to_end(cache_difference(network)) == 0);
}

}  // namespace model_threads_test
