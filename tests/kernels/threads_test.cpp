#include "kernels/threads.h"

#include <catch_amalgamated.hpp>
#include <chrono>
#include <set>
#include <thread>

namespace kernels_threads_test {

using namespace helix::kernels;

namespace {

constexpr std::size_t kCounts[] = {1, 2, 3, 4, 7};
#if defined(__wasm__) && !defined(__EMSCRIPTEN_PTHREADS__)
constexpr bool kHasThreads = false;
#else
constexpr bool kHasThreads = true;
#endif

}  // namespace

TEST_CASE("a shared loop comes by everything once, in parts that begin at the grain", "[kernels][threads]") {
  for (const std::size_t count : kCounts) {
    Threads threads(count);
    CHECK(threads.count() == (kHasThreads ? count : 1));
    for (const std::size_t n : {0u, 1u, 2u, 7u, 64u, 1000u})
      for (const std::size_t grain : {1u, 4u, 10u, 2000u}) {
        std::vector<int> seen(n);
        std::vector<std::atomic<int>> at_work(threads.count());
        std::atomic<int> wrong = 0;
        threads.share(n, grain, [&](std::size_t from, std::size_t end, std::size_t who) {
          if (who >= threads.count() || from >= end || end > n || from % grain != 0) return void(++wrong);
          if (at_work[who]++ != 0) ++wrong;
          for (std::size_t i = from; i < end; ++i) ++seen[i];
          --at_work[who];
        });
        CHECK(wrong == 0);
        CHECK(seen == std::vector<int>(n, 1));
      }
  }
}

TEST_CASE("loop after loop, at once and after a sleep, each ends before the next begins", "[kernels][threads]") {
  for (const std::size_t count : kCounts) {
    Threads threads(count);
    std::vector<std::size_t> numbers(97);
    for (std::size_t round = 1; round <= 3000; ++round) {
      threads.share(numbers.size(), 1, [&](std::size_t from, std::size_t end, std::size_t) {
        for (std::size_t i = from; i < end; ++i) numbers[i] += round;
      });
      if (round % 500 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    CHECK(std::set<std::size_t>(numbers.begin(), numbers.end()) == std::set<std::size_t>{3000 * 3001 / 2});
  }
}

TEST_CASE("a loop is worked on by as many threads as there are", "[kernels][threads]") {
  for (const std::size_t count : kCounts) {
    Threads threads(count);
    std::atomic<std::size_t> here = 0;
    // Each waits until all have arrived: with one thread fewer this would never end.
    threads.share(threads.count(), 1, [&](std::size_t, std::size_t, std::size_t) {
      ++here;
      while (here < threads.count()) std::this_thread::yield();
    });
    CHECK(here == threads.count());
  }
}

TEST_CASE("a slow part is waited for, and the others do the rest meanwhile", "[kernels][threads]") {
  Threads threads(3);
  std::atomic<int> done = 0;
  threads.share(12, 1, [&](std::size_t from, std::size_t end, std::size_t) {
    if (from == 0) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    done += static_cast<int>(end - from);
  });
  CHECK(done == 12);
}

TEST_CASE("threads that never had work end at once", "[kernels][threads]") {
  for (int i = 0; i < 20; ++i) Threads threads(4);
}

}  // namespace kernels_threads_test
