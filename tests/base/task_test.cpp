#include "base/task.h"

#include <memory>
#include <string>

#include "base/expected.h"
#include "base/matrix.h"
#include "tests/support.h"

namespace task_test {

using namespace helix;

namespace {

Task<int> add_up(int n) {
  int sum = 0;
  for (int i = 1; i <= n; ++i) {
    sum += i;
    co_await pause_point(i, n, "adding");
  }
  co_return sum;
}

Task<int> depth(int levels) {
  if (levels == 0) co_return 0;
  const int below = co_await depth(levels - 1);
  co_return below + 1;
}

/// Counts its live instances, so that leaks are detected.
struct Held {
  explicit Held(int& alive) : alive_(alive) { ++alive_; }
  Held(const Held& other) : alive_(other.alive_) { ++alive_; }
  ~Held() { --alive_; }
  int& alive_;
};

Task<std::string> inner(Held held, std::vector<int> work) {
  std::vector<int> local(1000, 7);
  for (std::size_t i = 0; i < work.size(); ++i) co_await pause_point();
  co_return std::to_string(local.size() + static_cast<std::size_t>(held.alive_));
}

Task<std::string> outer(Held held) {
  const Held local = held;
  std::string all;
  for (int i = 0; i < 3; ++i) all += co_await inner(held, std::vector<int>(4));
  co_return all;
}

/// Adds up several times, each in a part of the bar.
Task<int> in_parts(int parts) {
  int sum = 0;
  for (int i = 0; i < parts; ++i) {
    const auto part =
        co_await progress_part(i, 1, parts, "prompt " + std::to_string(i + 1) + " of " + std::to_string(parts));
    sum += co_await add_up(4);
  }
  co_await pause_point(1, 2, "after");
  co_return sum;
}

Task<int> in_nested_parts() {
  const auto part = co_await progress_part(2, 2, 4, "claims");
  co_return co_await in_parts(2);
}

}  // namespace

TEST_CASE("a task runs to its end and gives its value", "[base][task]") {
  CHECK(run_to_end(add_up(100)) == 5050);
  CHECK(run_to_end(add_up(0)) == 0);
}

TEST_CASE("a job pauses where it is told to and goes on from there", "[base][task]") {
  Job<int> job(add_up(10));
  int asked = 0;
  job.context().should_pause = [&] { return ++asked % 3 == 0; };
  int steps = 1;
  while (!job.step()) {
    CHECK(!job.done());
    ++steps;
  }
  CHECK(job.done());
  CHECK(asked == 10);
  CHECK(steps == 4);  // paused at the third, sixth and ninth
  CHECK(job.take() == 55);
}

TEST_CASE("progress is told at every pause point that has some", "[base][task]") {
  Job<int> job(add_up(5));
  std::vector<double> done;
  job.context().on_progress = [&](Progress p) {
    done.push_back(p.done);
    CHECK(p.total == 5);
    CHECK(p.phase == "adding");
  };
  while (!job.step()) {
  }
  CHECK(done == std::vector<double>{1, 2, 3, 4, 5});

  int alive = 0, told = 0;
  Job<std::string> silent(outer(Held(alive)));
  silent.context().on_progress = [&](Progress) { ++told; };
  while (!silent.step()) {
  }
  CHECK(told == 0);
}

TEST_CASE("tasks that wait for tasks need no machine stack", "[base][task]") {
  CHECK(run_to_end(depth(20'000)) == 20'000);
}

TEST_CASE("a job dropped at any of its pauses frees all it holds", "[base][task]") {
  for (int steps = 0; steps <= 13; ++steps) {
    int alive = 0;
    {
      Job<std::string> job(outer(Held(alive)));
      job.context().should_pause = [] { return true; };
      CHECK(alive > 0);
      bool ended = false;
      for (int i = 0; i < steps; ++i) ended = job.step();
      CHECK(ended == (steps == 13));
      if (ended) CHECK(!job.take().empty());
    }
    CHECK(alive == 0);
  }
  {
    const Task<int> never_started = add_up(3);
  }
}

TEST_CASE("a value that can only be moved comes out of a task", "[base][task]") {
  const auto make = []() -> Task<std::unique_ptr<int>> {
    co_await pause_point();
    co_return std::make_unique<int>(5);
  };
  CHECK(*run_to_end(make()) == 5);
}

// ---- expected

TEST_CASE("an expected value is a value or a sentence", "[base][expected]") {
  Expected<std::string> good = std::string("abc"), bad = Error{"No."};
  REQUIRE(good);
  CHECK(*good == "abc");
  CHECK(good->size() == 3);
  good->push_back('d');
  CHECK(std::move(*good) == "abcd");
  CHECK(!bad);
  CHECK(!bad.ok());
  CHECK(bad.error().sentence == "No.");
  good = bad;
  CHECK(!good);
  const Expected<std::unique_ptr<int>> moved = std::make_unique<int>(3);
  CHECK(**moved == 3);

  Expected<void> done, failed = Error{"Not done."};
  CHECK(done);
  CHECK(!failed);
  CHECK(failed.error().sentence == "Not done.");
}

// ---- matrix

TEST_CASE("matrices and their views see the same numbers", "[base][matrix]") {
  Matrix<double> m(3, 2);
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 2; ++j) m(i, j) = static_cast<double>(10 * i + j);
  CHECK(m.data == std::vector<double>{0, 1, 10, 11, 20, 21});  // row-major
  CHECK(m.row(1)[1] == 11);
  const MatrixView<double> view = m.view();
  view(2, 0) = 5;
  CHECK(m(2, 0) == 5);
  const MatrixView<const double> part = view.slice(1, 2);
  CHECK(part.rows == 2);
  CHECK(part(0, 1) == 11);
  CHECK(part.row(1)[0] == 5);
  const MatrixView<double> column(m.data.data() + 1, 3, 1, 2);  // every second number
  CHECK(column(1, 0) == 11);
  CHECK(column(2, 0) == 21);
  CHECK(Matrix<double>().view().rows == 0);
  const Matrix<double>& constant = m;
  CHECK(MatrixView<const double>(constant).cols == 2);
}

TEST_CASE("work inside a part of the bar moves the bar within that part", "[base][task]") {
  Job<int> job(in_parts(2));
  std::vector<double> shares;
  std::vector<std::string> phases;
  job.context().on_progress = [&](Progress p) {
    if (p.total > 0) shares.push_back(p.done / p.total), phases.emplace_back(p.phase);
  };
  while (!job.step()) {
  }
  CHECK(job.take() == 20);
  CHECK(shares == std::vector<double>{0, 0.125, 0.25, 0.375, 0.5, 0.5, 0.625, 0.75, 0.875, 1, 0.5});
  CHECK(phases.front() == "prompt 1 of 2");
  CHECK(phases[9] == "prompt 2 of 2");
  CHECK(phases.back() == "after");  // its parts are closed
  CHECK(job.context().parts.empty());

  Job<int> nested(in_nested_parts());
  double last = 0;
  nested.context().on_progress = [&](Progress p) {
    if (p.total <= 0) return;
    CHECK(p.phase == "claims");
    CHECK(p.done >= last);
    CHECK(p.done <= 4);
    last = p.done;
    nested.context().should_pause = [] { return true; };
  };
  for (int i = 0; i < 7; ++i) CHECK(!nested.step());  // and is cancelled in the middle
}

}  // namespace task_test
