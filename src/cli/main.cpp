#include <cstdio>

#include "cli/cli.h"

int main(int argc, char** argv) {
  const auto outcome = helix::cli::run({argv + 1, argv + argc});
  std::fwrite(outcome.out.data(), 1, outcome.out.size(), stdout);
  std::fwrite(outcome.err.data(), 1, outcome.err.size(), stderr);
  return outcome.status;
}
