// All that the engine module shares with JavaScript: a message in, a message out, and a step.
#include <emscripten.h>
#include <emscripten/html5.h>

#include <new>

#include "base/words.h"
#include "engine/engine.h"

// clang-format off: what follows is JavaScript
EM_JS(void, js_out_of_memory, (), { throw new RangeError("out of memory"); });
// clang-format on

namespace {

// Without a handler a failed `new` ends in an abort that does not say why.
[[maybe_unused]] const std::new_handler kHandler = std::set_new_handler(js_out_of_memory);

struct Bridge {
  helix::engine::Engine engine{helix::studies::compute_studies(), emscripten_get_now};
  std::vector<helix::engine::Outgoing> outgoing;
  std::size_t next = 0;
};

Bridge& bridge() {
  static Bridge instance;
  return instance;
}

}  // namespace

extern "C" {

EMSCRIPTEN_KEEPALIVE void engine_receive(const char* text, std::size_t length, const std::byte* payload,
                                         std::size_t size) {
  bridge().engine.receive({text, length}, {payload, size});
}

/// Called once, before all others: the studies' words. Returns 1 if they can be read.
EMSCRIPTEN_KEEPALIVE int engine_load_words(const char* text, std::size_t length) {
  return helix::load_words({text, length}) ? 1 : 0;
}

/// Called once, before the first message; returns how many threads there are.
EMSCRIPTEN_KEEPALIVE std::size_t engine_use_threads(std::size_t count) { return bridge().engine.use_threads(count); }

EMSCRIPTEN_KEEPALIVE int engine_step(double budget) { return bridge().engine.step(budget) ? 1 : 0; }

/// Moves to the next outgoing message; 0 when there is none. The getters below speak of it until the next call.
EMSCRIPTEN_KEEPALIVE int engine_next() {
  Bridge& b = bridge();
  if (b.next + 1 < b.outgoing.size()) {
    ++b.next;
    return 1;
  }
  b.outgoing = b.engine.take_outgoing();
  b.next = 0;
  return b.outgoing.empty() ? 0 : 1;
}

EMSCRIPTEN_KEEPALIVE const char* engine_text() { return bridge().outgoing[bridge().next].text.data(); }
EMSCRIPTEN_KEEPALIVE std::size_t engine_text_length() { return bridge().outgoing[bridge().next].text.size(); }
EMSCRIPTEN_KEEPALIVE const double* engine_data() { return bridge().outgoing[bridge().next].data.data(); }
EMSCRIPTEN_KEEPALIVE std::size_t engine_data_count() { return bridge().outgoing[bridge().next].data.size(); }
}
