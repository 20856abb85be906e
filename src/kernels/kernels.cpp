#include "kernels/kernels.h"

#include <string>

#include "kernels/tables.h"

namespace helix::kernels {
namespace {

const Table*& chosen() {
  static const Table* table = &tables().back();
  return table;
}

std::vector<Table> tables_here() {
  std::vector<Table> all{scalar_table(), vector_table()};
#if defined(HELIXSCOPE_AVX)  // src/CMakeLists.txt compiles those two with their flags
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) all.push_back(avx2_table());
  if (__builtin_cpu_supports("avx512f")) all.push_back(avx512_table());
#endif
  return all;
}

}  // namespace

const std::vector<Table>& tables() {
  static const std::vector<Table> all = tables_here();
  return all;
}

const Table& active() { return *chosen(); }

Expected<void> force(std::string_view name) {
  std::string names;
  for (const Table& table : tables()) {
    if (table.name == name) {
      chosen() = &table;
      return {};
    }
    names += (names.empty() ? "" : ", ") + std::string(table.name);
  }
  return Error{"There are no kernels called " + std::string(name) + " here; there are " + names + "."};
}

}  // namespace helix::kernels
