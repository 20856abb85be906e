// A fake page for tests of the engine: records the replies, and serves bytes as a server would.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engine/engine.h"
#include "tests/support.h"

namespace helix::testing {

using protocol::Failure;
using protocol::Finished;
using protocol::Need;
using protocol::Opened;
using protocol::Reply;
using protocol::Run;

/// Keeps every reply, and serves files by ranges or as one stream.
class FakePage {
 public:
  explicit FakePage(const std::vector<studies::ComputeStudy>& list = studies::compute_studies())
      : engine(list, [this] {
          ++clock_reads;
          return clock += tick;
        }) {
    collect();
  }

  double clock = 0, tick = 0;
  int clock_reads = 0;
  engine::Engine engine;
  std::vector<Reply> replies;
  std::map<std::string, Bytes> files;
  std::size_t chunk = 1 << 20;

  void say(const protocol::Request& request, std::span<const std::byte> payload = {}) {
    engine.receive(protocol::to_text(request), payload);
    collect();
  }
  void open(const std::string& name, bool size_known = true, const std::string& sha256 = "0123456789abcdef") {
    say(protocol::Open{name, sha256, "", size_known ? files[name].size() : 0});
  }
  Run run(std::uint32_t job, ParamValues params = {}, const std::string& panel = "main",
          const std::string& model = "m") {
    Run message{job, panel, "position_helix", model, std::move(params)};
    say(message);
    return message;
  }
  /// Serves every range requested since the last call, in pieces.
  void serve() {
    while (!needed.empty()) {
      const auto [name, range] = needed.front();
      needed.erase(needed.begin());
      const Bytes& file = files[name];
      const std::size_t end = std::min(file.size(), static_cast<std::size_t>(range.end));
      for (auto at = static_cast<std::size_t>(range.begin); at < end; at += chunk)
        say(protocol::Bytes{name, at}, std::span(file).subspan(at, std::min(chunk, end - at)));
    }
  }
  /// A server without range requests: sends the file from the start, `size` bytes of it.
  void stream(const std::string& name, std::size_t size) {
    for (std::size_t at = 0; at < size; at += chunk)
      say(protocol::Bytes{name, at}, std::span(files[name]).subspan(at, std::min(chunk, size - at)));
    say(protocol::SourceSize{name, size, true});
  }
  void work() {
    bool more = true;
    for (int steps = 0; more || !needed.empty(); ++steps) {
      REQUIRE(steps < 100'000);
      serve();
      more = engine.step(10);
      collect();
    }
  }

  template <class Message>
  std::vector<Message> all() const {
    std::vector<Message> found;
    for (const Reply& r : replies)
      if (const auto* m = std::get_if<Message>(&r)) found.push_back(*m);
    return found;
  }
  std::vector<protocol::Result> results(std::uint32_t job) const {
    std::vector<protocol::Result> found;
    for (const Finished& m : all<Finished>()) {
      if (m.job != job) continue;
      auto result = protocol::decode(m.result.header, m.result.data.data(), m.result.data.size());
      REQUIRE(result);
      found.push_back(std::move(*result));
    }
    return found;
  }

  void collect() {
    for (const engine::Outgoing& out : engine.take_outgoing()) {
      auto reply = protocol::parse_reply(out.text, out.data.data(), out.data.size());
      REQUIRE(reply);
      if (const auto* need = std::get_if<Need>(&*reply))
        for (const ByteRange& r : need->ranges) needed.emplace_back(need->model, r);
      replies.push_back(std::move(*reply));
    }
  }

 private:
  std::vector<std::pair<std::string, ByteRange>> needed;
};

}  // namespace helix::testing
