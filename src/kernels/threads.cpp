#include "kernels/threads.h"

#include <chrono>

namespace helix::kernels {
namespace {

#if defined(__wasm__) && !defined(__EMSCRIPTEN_PTHREADS__)
constexpr bool kHasThreads = false;
#else
constexpr bool kHasThreads = true;
#endif

constexpr std::uint32_t kPartBits = 16, kPartMask = 0xffff;
constexpr std::uint64_t ticket_of(std::uint32_t number, std::uint32_t next, std::uint32_t parts) {
  return std::uint64_t{number} << 32 | next << kPartBits | parts;
}
constexpr std::uint32_t number_in(std::uint64_t ticket) { return static_cast<std::uint32_t>(ticket >> 32); }
constexpr std::uint32_t next_in(std::uint64_t ticket) {
  return static_cast<std::uint32_t>(ticket) >> kPartBits & kPartMask;
}
constexpr std::uint32_t parts_in(std::uint64_t ticket) { return static_cast<std::uint32_t>(ticket) & kPartMask; }

void breathe() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

/// Polls `good()` for some microseconds; true if it became true. The next loop of a layer comes sooner than a sleeping
/// thread wakes up.
template <class Good>
bool spin(Good good) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(60);
  do {
    for (int i = 0; i < 64; ++i) {
      if (good()) return true;
      breathe();
    }
  } while (std::chrono::steady_clock::now() < end);
  return false;
}

}  // namespace

Threads::Threads(std::size_t count) {
  if (!kHasThreads) return;
  helpers_.reserve(kMost);  // each thread keeps the address of its own entry
  const std::size_t wanted = std::clamp<std::size_t>(count, 1, kMost) - 1;
  if (start(wanted)) return;
  // The system is at its limit, and the threads' work needs memory too: keep half of them.
  const std::size_t half = helpers_.size() / 2;
  end();
  start(half);
}

Threads::~Threads() { end(); }

bool Threads::start(std::size_t wanted) {
  ending_ = false;
  while (helpers_.size() < wanted) {
    Helper& helper = helpers_.emplace_back(Helper{this, helpers_.size() + 1, {}});
    const auto main = [](void* self) -> void* {
      static_cast<Helper*>(self)->all->help(static_cast<Helper*>(self)->who);
      return nullptr;
    };
    if (pthread_create(&helper.thread, nullptr, main, &helper) == 0) continue;
    helpers_.pop_back();
    return false;
  }
  return true;
}

void Threads::end() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  work_came_.notify_all();
  for (const Helper& helper : helpers_) pthread_join(helper.thread, nullptr);
  helpers_.clear();
}

/// Takes parts of the loop under way until none are left; true if this thread finished the last one of all.
bool Threads::take_parts(std::size_t who) {
  std::uint64_t ticket = ticket_.load();
  while (next_in(ticket) < parts_in(ticket)) {
    // Read before the part is taken: while a part is free, these belong to this loop.
    const Part part = part_.load(std::memory_order_relaxed);
    const void* loop = loop_.load(std::memory_order_relaxed);
    const std::uint32_t next = next_in(ticket), parts = parts_in(ticket);
    if (!ticket_.compare_exchange_weak(ticket, ticket_of(number_in(ticket), next + 1, parts))) continue;
    part(loop, next, who);
    if (finished_.fetch_add(1) + 1 == parts) return true;
    ticket = ticket_.load();
  }
  return false;
}

void Threads::run(std::uint32_t parts, Part part, const void* loop) {
  part_.store(part, std::memory_order_relaxed), loop_.store(loop, std::memory_order_relaxed);
  finished_.store(0, std::memory_order_relaxed);
  ticket_.store(ticket_of(number_in(ticket_.load(std::memory_order_relaxed)) + 1, 0, parts));
  if (asleep_.load() > 0) {
    {
      const std::lock_guard lock(mutex_);
    }  // a thread that was about to sleep is asleep now, or has seen the loop
    work_came_.notify_all();
  }
  take_parts(0);
  const auto all_done = [&] { return finished_.load() == parts; };
  if (spin(all_done)) return;
  std::unique_lock lock(mutex_);
  caller_asleep_ = true;
  all_finished_.wait(lock, all_done);
  caller_asleep_ = false;
}

/// Waits for a loop other than the one numbered `done`; false if there will be none.
bool Threads::wait_for_work(std::uint32_t done) {
  const auto came = [&] { return number_in(ticket_.load()) != done || ending_; };
  if (!spin(came)) {
    ++asleep_;
    std::unique_lock lock(mutex_);
    work_came_.wait(lock, came);
    --asleep_;
  }
  return !ending_;
}

void Threads::help(std::size_t who) {
  for (std::uint32_t done = 0; wait_for_work(done);) {
    done = number_in(ticket_.load());
    if (take_parts(who) && caller_asleep_) {
      {
        const std::lock_guard lock(mutex_);
      }
      all_finished_.notify_one();
    }
  }
}

}  // namespace helix::kernels
