// A tiny complete model in a temporary folder, and what a command prints about it.
#pragma once

#include <filesystem>
#include <fstream>
#include <random>
#include <string>

#include "cli/cli.h"
#include "protocol/json.h"
#include "tests/model/tiny_network.h"
#include "tests/tokenizer/tiny_vocabulary.h"

namespace helix::cli::testing {

using helix::testing::Bytes;
using helix::testing::check_sentence;
using protocol::Json;

class TinyFolder {
 public:
  explicit TinyFolder(bool vocabulary = true) {
    std::filesystem::create_directories(path_);
    const auto files = helix::testing::files_of({{" ", "t"}, {"h", "e"}, {" t", "he"}});
    const Bytes weights = helix::testing::tiny_checkpoint({2, 24, 2, 40, 260});
    write("model.safetensors", {reinterpret_cast<const char*>(weights.data()), weights.size()});
    write("config.json", "{\"n_head\": 2}");
    if (!vocabulary) return;
    write("vocab.json", files.vocab_json);
    write("merges.txt", files.merges_txt);
  }
  ~TinyFolder() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
  }
  std::string path() const { return path_.string(); }
  std::string at(const char* name) const { return (path_ / name).string(); }
  std::string read(const char* name) const {
    std::ifstream file(at(name), std::ios::binary);
    REQUIRE(file);
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  void write(const char* name, std::string_view bytes) {
    std::ofstream(at(name), std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }
  std::filesystem::path path_ =
      std::filesystem::temp_directory_path() / ("helixscope_forward_" + std::to_string(std::random_device()()));
};

inline Json json_of(const Outcome& outcome) {
  CHECK(outcome.err.empty());
  auto json = protocol::parse_json(outcome.out);
  REQUIRE(json);
  return *json;
}

inline void check_refused(const Outcome& outcome, int status, const std::string& part) {
  CHECK(outcome.status == status);
  CHECK(outcome.out.empty());
  REQUIRE(outcome.err.ends_with("\n"));
  check_sentence(outcome.err.substr(0, outcome.err.size() - 1), part);
}

}  // namespace helix::cli::testing
