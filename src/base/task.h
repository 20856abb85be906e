// Long work as a coroutine that gives the thread back: a Worker can hear "cancel" only between two steps of a job.
//
//   Task<double> sum(std::vector<double> v) {
//     double s = 0;
//     for (size_t i = 0; i < v.size(); ++i) { s += v[i]; if (i % 1024 == 0) co_await pause_point(i, v.size(), "adding"); }
//     co_return s;
//   }
//
// Arguments of a coroutine are taken by value (or outlive the Job): a reference to a temporary dies at the first pause.
#pragma once

#include <coroutine>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/progress.h"

namespace helix {

/// What a running job asks of its surroundings. One per job; the coroutines of a job share it.
struct JobContext {
  /// True when this step has used up its time. Asked at every pause point.
  std::function<bool()> should_pause = [] { return false; };
  std::function<void(Progress)> on_progress = [](Progress) {};
  std::vector<std::coroutine_handle<>> stack;  // innermost coroutine last
  std::vector<ProgressPart> parts;             // those that are open, innermost last

  void report(Progress inner) const { on_progress(within(parts, inner)); }
};

/// Closes its part when it goes out of scope; parts close in the reverse order.
class ProgressScope {
 public:
  explicit ProgressScope(JobContext* job) : job_(job) {}
  ProgressScope(ProgressScope&& other) noexcept : job_(std::exchange(other.job_, nullptr)) {}
  ProgressScope& operator=(ProgressScope&&) = delete;
  ~ProgressScope() {
    if (job_) job_->parts.pop_back();
  }

 private:
  JobContext* job_;
};

struct PausePoint {
  Progress progress;
};

/// A place where a job may pause, be cancelled, and report progress. Cheap: call it every millisecond or so of work.
inline PausePoint pause_point(double done = 0, double total = 0, std::string_view phase = {}) {
  return {{done, total, phase}};
}

namespace detail {

struct PromiseBase {
  JobContext* job = nullptr;
  std::suspend_always initial_suspend() noexcept { return {}; }
  std::suspend_always final_suspend() noexcept { return {}; }
  void unhandled_exception() noexcept { std::abort(); }

  struct Pause {
    bool pause;
    bool await_ready() const noexcept { return !pause; }
    void await_suspend(std::coroutine_handle<>) const noexcept {}
    void await_resume() const noexcept {}
  };
  Pause await_transform(PausePoint at) {
    if (at.progress.total > 0) job->report(at.progress);
    return {job->should_pause()};
  }
  struct Open {
    JobContext* job;
    bool pause;
    bool await_ready() const noexcept { return !pause; }
    void await_suspend(std::coroutine_handle<>) const noexcept {}
    ProgressScope await_resume() const noexcept { return ProgressScope(job); }
  };
  Open await_transform(ProgressPart part) {
    job->parts.push_back(std::move(part));
    job->report({0, 1, {}});
    return {job, job->should_pause()};
  }
  template <class Awaitable>
  Awaitable&& await_transform(Awaitable&& inner) {
    return std::forward<Awaitable>(inner);
  }
};

}  // namespace detail

/// A lazy coroutine that yields one T. Move-only; destroying it cancels it.
template <class T>
class [[nodiscard]] Task {
 public:
  struct promise_type : detail::PromiseBase {
    std::optional<T> value;
    Task get_return_object() { return Task(std::coroutine_handle<promise_type>::from_promise(*this)); }
    template <class U>
    void return_value(U&& v) {
      value.emplace(std::forward<U>(v));
    }
  };
  using Handle = std::coroutine_handle<promise_type>;

  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, {})) {}
  Task& operator=(Task&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Task() {
    if (handle_) handle_.destroy();
  }

  // co_await task: the driver runs it on top of the job's stack; no recursion, so depth costs no machine stack.
  bool await_ready() const noexcept { return false; }
  template <class Promise>
  void await_suspend(std::coroutine_handle<Promise> parent) noexcept {
    handle_.promise().job = parent.promise().job;
    handle_.promise().job->stack.push_back(handle_);
  }
  T await_resume() { return std::move(*handle_.promise().value); }

  Handle handle() const { return handle_; }

 private:
  explicit Task(Handle handle) : handle_(handle) {}
  Handle handle_;
};

/// Drives one Task step by step. Destroying the Job cancels the work at its last pause point.
template <class T>
class Job {
 public:
  explicit Job(Task<T> task) : task_(std::move(task)) {
    task_.handle().promise().job = &context_;
    context_.stack.push_back(task_.handle());
  }
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  JobContext& context() { return context_; }
  bool done() const { return context_.stack.empty(); }

  /// Runs until the job pauses or the task ends; true when it has ended.
  bool step() {
    while (!context_.stack.empty()) {
      auto top = context_.stack.back();
      const std::size_t depth = context_.stack.size();
      top.resume();
      if (top.done()) {
        context_.stack.pop_back();
      } else if (context_.stack.size() == depth) {
        return false;  // paused at a pause point
      }
    }
    return true;
  }
  /// The task's value; only after step() returned true, once.
  T take() { return std::move(*task_.handle().promise().value); }

 private:
  JobContext context_;
  Task<T> task_;
};

/// Runs a task to its end on this thread: for the command line and tests.
template <class T>
T run_to_end(Task<T> task) {
  Job<T> job(std::move(task));
  while (!job.step()) {
  }
  return job.take();
}

}  // namespace helix
