// A temporary folder that is removed after the test.
#pragma once

#include <catch_amalgamated.hpp>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace helix::testing {

class TestFolder {
 public:
  TestFolder()
      : path_(std::filesystem::temp_directory_path() / ("helixscope-test-" + std::to_string(std::random_device()()))) {
    std::filesystem::create_directories(path_);
  }
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;
  ~TestFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::filesystem::path& path() const { return path_; }

  std::filesystem::path write(const std::filesystem::path& name, std::span<const std::byte> bytes) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::FILE* file = std::fopen((path_ / name).string().c_str(), "wb");
    REQUIRE(file);
    if (!bytes.empty()) REQUIRE(std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size());
    REQUIRE(std::fclose(file) == 0);
    return path_ / name;
  }

  std::vector<std::byte> read(const std::filesystem::path& name) const {
    std::vector<std::byte> bytes(static_cast<std::size_t>(std::filesystem::file_size(path_ / name)));
    std::FILE* file = std::fopen((path_ / name).string().c_str(), "rb");
    REQUIRE(file);
    REQUIRE(std::fread(bytes.data(), 1, bytes.size(), file) == bytes.size());
    REQUIRE(std::fclose(file) == 0);
    return bytes;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace helix::testing
