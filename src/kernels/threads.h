// Threads that share a loop: the caller's and a fixed number of helpers, which wait between loops.
//
// A loop runs over a range, whose parts are handed out as threads become free: so a suspended thread does not hold up
// the others. Which thread computes which part must not change the numbers.
#pragma once

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

namespace helix::kernels {

class Threads {
 public:
  /// `count` includes the caller's thread: 1 starts no other. It is always 1 in a build without threads, and smaller
  /// where the system refuses some.
  explicit Threads(std::size_t count = 1);
  ~Threads();
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

  std::size_t count() const { return helpers_.size() + 1; }
  /// More threads would only wait for each other, in a browser or natively.
  static constexpr std::size_t kMost = 64;

  /// Calls work(from, end, who) for parts that make up 0 … n−1, each beginning at a multiple of `grain`, and returns
  /// when all are done. `who` < count() is the thread: no two parts with the same one run at once. One caller at a
  /// time; `work` must not call share().
  template <class Work>
  void share(std::size_t n, std::size_t grain, const Work& work) {
    const std::size_t grains = (n + grain - 1) / grain, parts = std::min(grains, kParts * count());
    if (n == 0) return;
    if (count() == 1 || parts == 1) return work(std::size_t{0}, n, std::size_t{0});
    const Loop<Work> loop{work, n, grain, grains, parts};
    run(static_cast<std::uint32_t>(parts), &Loop<Work>::part, &loop);
  }

 private:
  // Average number of parts for each thread: enough that the last one to finish is not far behind.
  static constexpr std::size_t kParts = 4;
  using Part = void (*)(const void* loop, std::size_t part, std::size_t who);

  template <class Work>
  struct Loop {
    const Work& work;
    std::size_t n, grain, grains, parts;
    static void part(const void* self, std::size_t part, std::size_t who) {
      const auto& l = *static_cast<const Loop*>(self);
      const std::size_t from = part * l.grains / l.parts * l.grain, end = (part + 1) * l.grains / l.parts * l.grain;
      l.work(from, std::min(end, l.n), who);
    }
  };

  struct Helper {
    Threads* all;
    std::size_t who;
    pthread_t thread;
  };
  /// False if the system refused a thread; those started before it remain.
  bool start(std::size_t wanted);
  void end();
  void run(std::uint32_t parts, Part part, const void* loop);
  void help(std::size_t who);
  bool take_parts(std::size_t who);
  bool wait_for_work(std::uint32_t done);

  // The loop under way: its number (32 bits), the next part and the number of parts (16 bits each), in one word, so
  // that a late thread cannot take a part of another loop.
  std::atomic<std::uint64_t> ticket_{0};
  std::atomic<Part> part_{nullptr};
  std::atomic<const void*> loop_{nullptr};
  std::atomic<std::uint32_t> finished_{0};

  std::mutex mutex_;
  std::condition_variable work_came_, all_finished_;
  std::atomic<std::size_t> asleep_{0};
  std::atomic<bool> caller_asleep_{false}, ending_{false};
  std::vector<Helper> helpers_;  // not std::thread: that one throws where the system refuses
};

}  // namespace helix::kernels
