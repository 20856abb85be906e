#include "checkpoint/write_file.h"

#include <catch_amalgamated.hpp>
#include <string>

#include "tests/sentence_check.h"
#include "tests/test_folder.h"

namespace write_file_test {

using namespace helix;
using namespace helix::checkpoint;
using namespace helix::testing;
namespace fs = std::filesystem;

namespace {

std::span<const std::byte> bytes_in(std::string_view text) { return std::as_bytes(std::span(text)); }
std::string text_in(const TestFolder& folder, const char* name) {
  const auto bytes = folder.read(name);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
std::size_t count_in(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

}  // namespace

TEST_CASE("a file is written whole, and nothing is left beside it", "[checkpoint][write_file]") {
  const TestFolder folder;
  const fs::path path = folder.path() / "out";
  REQUIRE(write_whole(path, bytes_in("one")));
  REQUIRE(write_whole(path, bytes_in("three")));
  CHECK(text_in(folder, "out") == "three");
  CHECK(count_in(folder.path()) == 1);
}

TEST_CASE("a symbolic link is replaced: the file that it leads to stays", "[checkpoint][write_file]") {
  const TestFolder folder;
  folder.write("weights", bytes_in("precious"));
  fs::create_symlink(folder.path() / "weights", folder.path() / "out");
  REQUIRE(write_whole(folder.path() / "out", bytes_in("new")));
  CHECK(text_in(folder, "weights") == "precious");
  CHECK(text_in(folder, "out") == "new");
  CHECK(!fs::is_symlink(folder.path() / "out"));
}

TEST_CASE("a failed output leaves what was there", "[checkpoint][write_file]") {
  const TestFolder folder;
  fs::create_directories(folder.path() / "taken" / "inside");
  const auto written = write_whole(folder.path() / "taken", bytes_in("x"));
  REQUIRE(!written);
  check_sentence(written.error(), "could not be written", "taken");
  CHECK(count_in(folder.path()) == 1);
  const auto nowhere = write_whole(folder.path() / "none" / "out", bytes_in("x"));
  REQUIRE(!nowhere);
  check_sentence(nowhere.error(), "could not be written", "out");
}

TEST_CASE("a device is written as it is", "[checkpoint][write_file]") {
  CHECK(write_whole("/dev/null", bytes_in("x")));
  CHECK(fs::is_character_file("/dev/null"));
}

}  // namespace write_file_test
