// The native program: the same studies from a shell, for researchers and for tests.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/expected.h"

namespace helix::cli {

/// A command's outcome: text for stdout and the exit status; errors are one sentence on stderr.
struct Outcome {
  std::string out, err;
  int status = 0;  // 0, 1 for a failure, 2 for wrong usage
};

Outcome run(const std::vector<std::string>& arguments);

/// The words after the verb: flags and options as given, the rest in order.
struct Options {
  std::vector<std::string> words;
  std::vector<std::pair<std::string, std::string>> values;  // --name value, repeatable
  std::vector<std::string> flags;

  bool has(const std::string& flag) const;
  std::string get(const std::string& name) const;  // empty when absent
  std::vector<std::string> all(const std::string& name) const;
};

/// An error names the option that is unknown or lacks its value. An option of `with_values` takes all the words up to
/// the next option.
Expected<Options> parse_options(const std::vector<std::string>& arguments, std::size_t from,
                                const std::vector<std::string>& with_value, const std::vector<std::string>& flags,
                                const std::vector<std::string>& with_values = {});

// The verbs; each in its own file.
Outcome info(const Options& options);
Outcome studies(const Options& options);
Outcome run_study(const Options& options);
Outcome link(const Options& options);
Outcome tokenize(const Options& options);
Outcome logits(const Options& options);
Outcome capture(const Options& options);
Outcome edits(const Options& options);
Outcome hooks(const Options& options);
Outcome generate(const Options& options);
Outcome verify(const Options& options);
Outcome claims(const Options& options);
Outcome bench(const Options& options);
Outcome pack(const Options& options);

Outcome failure(std::string sentence);
/// Also says which option would make it work.
Outcome failure(const Error& error);
Outcome misuse(std::string sentence);

}  // namespace helix::cli
