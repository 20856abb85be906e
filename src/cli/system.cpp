#include "cli/system.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace helix::cli {

void keep_outputs_apart() {
  for (const int output : {STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(output, F_GETFD) != -1 || errno != EBADF) continue;
    const int taken = open("/dev/null", O_RDONLY);
    if (taken == -1 || taken == output) continue;
    dup2(taken, output);
    close(taken);
  }
}

int leave(const Outcome& outcome) {
  errno = 0;
  const bool written = std::fwrite(outcome.out.data(), 1, outcome.out.size(), stdout) == outcome.out.size();
  const bool taken = std::fflush(stdout) == 0 && written;
  const std::string why = errno == ENOSPC ? "the disk is full" : std::strerror(errno);
  std::fwrite(outcome.err.data(), 1, outcome.err.size(), stderr);
  if (taken) return outcome.status;
  warn("Not all of the output could be written: " + why + ".");
  return outcome.status == 0 ? 1 : outcome.status;
}

void warn(const std::string& sentence) { std::fprintf(stderr, "%s\n", sentence.c_str()); }

}  // namespace helix::cli
