#include "kernels/kernels.h"

#include <algorithm>
#include <string>

namespace helix::kernels {
namespace {

const Table*& chosen() {
  static const Table* table = &tables().back();
  return table;
}

}  // namespace

const std::vector<Table>& tables() {
  static const std::vector<Table> all{scalar_table()};
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
