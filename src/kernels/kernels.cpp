#include "kernels/kernels.h"

#include <string>

#include "kernels/tables.h"

namespace helix::kernels {
namespace {

const Table*& chosen() {
  static const Table* table = &tables().back();
  return table;
}

#if defined(HELIXSCOPE_AVX)  // src/CMakeLists.txt compiles their sources with their flags
bool has_avx2() { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }
bool has_avx512() { return has_avx2() && __builtin_cpu_supports("avx512f"); }
bool has_avxvnni() { return has_avx2() && __builtin_cpu_supports("avxvnni"); }
bool has_avx512vnni() { return has_avx512() && __builtin_cpu_supports("avx512vnni"); }
#endif

std::vector<Q8Kernels> q8_here() {
  std::vector<Q8Kernels> all{q8_scalar(), q8_vector()};
#if defined(HELIXSCOPE_AVX)
  if (has_avx2()) all.push_back(q8_avx2());
  if (has_avxvnni()) all.push_back(q8_avxvnni());
  if (has_avx512vnni()) all.push_back(q8_avx512vnni());
#endif
  return all;
}

Table with(Table table, const Q8Kernels& q8) {
  table.q8 = q8;
  return table;
}

std::vector<Table> tables_here() {
  std::vector<Table> all{with(scalar_table(), q8_scalar()), with(vector_table(), q8_vector())};
#if defined(HELIXSCOPE_AVX)
  if (has_avx2()) all.push_back(with(avx2_table(), has_avxvnni() ? q8_avxvnni() : q8_avx2()));
  if (has_avx512()) all.push_back(with(avx512_table(), has_avx512vnni() ? q8_avx512vnni() : all.back().q8));
#endif
  return all;
}

}  // namespace

const std::vector<Table>& tables() {
  static const std::vector<Table> all = tables_here();
  return all;
}

const std::vector<Q8Kernels>& q8_kernels() {
  static const std::vector<Q8Kernels> all = q8_here();
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
