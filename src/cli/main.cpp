// The program throws nothing itself; the standard library does where the system refuses memory. Only this file handles
// exceptions, and turns that one into a sentence.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>

#include "base/built_in_words.h"
#include "base/words.h"
#include "cli/cli.h"
#include "cli/system.h"

namespace {

/// Called in whichever thread it happened.
[[noreturn]] void no_way_on() {
  try {
    if (const auto thrown = std::current_exception()) std::rethrow_exception(thrown);
  } catch (const std::bad_alloc&) {
    std::fputs("There is not enough memory for this; give the program more, or choose a smaller model or text.\n",
               stderr);
    std::_Exit(1);
  } catch (...) {  // a bug in this program
  }
  std::abort();
}

}  // namespace

int main(int argc, char** argv) {
  std::set_terminate(no_way_on);
  helix::cli::keep_outputs_apart();
  if (const auto words = helix::load_words(helix::built_in_words()); !words)
    std::abort();  // the build has checked them
  return helix::cli::leave(helix::cli::run({argv + 1, argv + argc}));
}
