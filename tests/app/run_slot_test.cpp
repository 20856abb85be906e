// One run of the page: which question is sent when, which answer counts, and what is shown of it.
#include "app/run_slot.h"

#include <algorithm>
#include <vector>

#include "tests/support.h"

namespace run_slot_test {

using namespace helix;
using app::RunSlot;

namespace {

/// A slot whose engine is the test; a question is the value of one parameter.
struct Hand {
  RunSlot slot{"main"};
  double now = 0;
  std::uint32_t jobs = 0;
  std::vector<int> sent;

  static state::AppState question(int value, const std::string& study = "s") {
    state::AppState state;
    state.study = study, state.params = {{"x", std::to_string(value)}};
    return state;
  }
  void ask(int value, const std::string& study = "s") {
    slot.ask(question(value, study), true, now);
    send();
  }
  void send() {
    if (slot.pending() && slot.may_start(now)) sent.push_back(std::stoi(slot.start(++jobs, now).params[0].second));
  }
  bool answer(std::uint32_t job, bool complete = true, bool newest_only = false) {
    protocol::Result result;
    result.study = "s", result.complete = complete;
    const auto taken = slot.take({job, "main", protocol::encode(result, {})}, now, newest_only);
    REQUIRE(taken);
    slot.show();
    send();
    return *taken;
  }
  int shown() const { return std::stoi(slot.answers().params[0].second); }
};

}  // namespace

TEST_CASE("a newer question ends a run that would take long, and waits for one that is nearly done",
          "[app][run_slot]") {
  Hand hand;
  hand.ask(1);
  hand.now = 40, hand.ask(2);
  CHECK(hand.sent == std::vector{1});  // how long a run takes is not known yet
  hand.now = 100, hand.answer(1);
  REQUIRE(hand.sent == std::vector{1, 2});
  hand.now = 130, hand.ask(3);
  CHECK(hand.sent.back() == 3);  // 70 ms would have been left
  hand.now = 205, hand.ask(4);
  CHECK(hand.sent.back() == 3);  // 25 ms are left
  hand.now = 230, hand.answer(3);
  CHECK(hand.shown() == 3);
  CHECK(hand.sent.back() == 4);
  CHECK(!hand.answer(2));  // of an older question
  CHECK(hand.shown() == 3);
}

TEST_CASE("a fast hand sees a new picture at least every second run", "[app][run_slot]") {
  for (const double takes : {5.0, 20.0, 60.0, 100.0, 300.0, 1000.0}) {
    CAPTURE(takes);
    Hand hand;
    double started = 0, shown_at = 0, longest = 0;
    std::size_t pictures = 0, seen = 0;
    for (int i = 0; i < 20000; ++i) {
      hand.now = i;
      if (i % 16 == 0) hand.ask(i);
      if (hand.sent.size() != seen) seen = hand.sent.size(), started = i;
      if (hand.slot.answered() || i - started < takes) continue;
      CHECK(hand.answer(hand.slot.job()));
      if (++pictures > 1) longest = std::max(longest, i - shown_at);
      shown_at = i;
      if (hand.sent.size() != seen) seen = hand.sent.size(), started = i;
    }
    CHECK(pictures > 10);
    CHECK(longest <= 2 * takes + 20);
  }
}

TEST_CASE("a long download before the first answer does not hold later pictures back", "[app][run_slot]") {
  Hand hand;
  hand.ask(0);
  hand.now = 60'000, hand.answer(1);
  const double begun = hand.now;
  while (hand.now < begun + 1000) {
    hand.now += 16;
    const std::size_t sent = hand.sent.size();
    hand.ask(static_cast<int>(hand.now));
    if (hand.now > begun + 420) CHECK(hand.sent.size() == sent);  // the run under way is let finish
  }
}

TEST_CASE("another study's answers and those of a stopped run do not count", "[app][run_slot]") {
  Hand hand;
  hand.ask(1);
  hand.answer(1);
  hand.ask(2);
  hand.slot.ask(Hand::question(3, "t"), true, 0);
  CHECK(!hand.answer(2));
  CHECK(hand.shown() == 1);
  hand.slot.ask(Hand::question(4), true, 0);
  hand.send();
  CHECK(hand.slot.stop() == hand.slot.job());
  CHECK(!hand.slot.busy());
  CHECK(!hand.answer(hand.slot.job()));
  CHECK(hand.slot.stop() == 0);
  CHECK(hand.slot.clear() == 0);
  CHECK(!hand.slot.has_shown());
}

TEST_CASE("a first picture is an answer, but not the end", "[app][run_slot]") {
  Hand hand;
  hand.ask(1);
  CHECK(hand.answer(1, false));
  CHECK(hand.slot.answered());
  CHECK(!hand.slot.settled());
  CHECK(hand.slot.busy());
  CHECK(hand.answer(1, true));
  CHECK(!hand.slot.busy());
  hand.ask(2);
  hand.slot.fail("No.", hand.now);
  CHECK(hand.slot.failed());
  CHECK(!hand.slot.busy());
  CHECK(hand.shown() == 1);
  hand.ask(3);
  CHECK(!hand.slot.failed());
}

}  // namespace run_slot_test
