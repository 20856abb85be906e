// docs/claims.md against the studies: every id of the source texts is judged or shown somewhere; the list says where.
#include <fstream>
#include <set>

#include "base/source_text.h"
#include "base/text.h"
#include "studies/registry_compute.h"
#include "tests/support.h"

namespace claims_list_test {

using namespace helix;
using namespace helix::testing;

namespace {

struct Listed {
  std::string id, about;
  bool judged = false;
  std::set<std::string> studies;  // that judge it; else the first one named shows it
  std::string why;                // it is only shown
};

/// What stands between backticks.
std::vector<std::string> quoted(const std::string& text) {
  std::vector<std::string> all;
  const std::vector<std::string> parts = split(text, '`');
  for (std::size_t i = 1; i < parts.size(); i += 2) all.push_back(parts[i]);
  return all;
}

std::string trimmed(std::string text) {
  while (text.starts_with(' ')) text.erase(0, 1);
  while (text.ends_with(' ')) text.pop_back();
  return text;
}

/// The rows of the list's tables: "| `id` | what | judged by `a`, `b` |" or "| `id` | what | shown by `a`: why |".
std::vector<Listed> entries() {
  std::ifstream file(in_repository("docs/claims.md"));
  REQUIRE(file);
  std::vector<Listed> all;
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("| `")) continue;
    INFO(line);
    const std::vector<std::string> cells = split(line, '|');
    REQUIRE(cells.size() == 5);
    const std::string where = trimmed(cells[3]);
    Listed entry;
    REQUIRE(quoted(cells[1]).size() == 1);
    entry.id = quoted(cells[1]).front(), entry.about = trimmed(cells[2]);
    entry.judged = where.starts_with("judged by `");
    REQUIRE((entry.judged || where.starts_with("shown by `")));
    const std::vector<std::string> studies = quoted(where);
    REQUIRE(!studies.empty());
    if (entry.judged) {
      entry.studies.insert(studies.begin(), studies.end());
    } else {
      entry.studies.insert(studies.front());
      const std::size_t colon = where.find(':');
      if (colon != std::string::npos) entry.why = trimmed(where.substr(colon + 1));
    }
    all.push_back(std::move(entry));
  }
  return all;
}

bool is_of(const std::string& claim, const std::string& id) { return claim == id || claim.starts_with(id + "-"); }

std::set<std::string> declaring(const std::string& id) {
  std::set<std::string> studies;
  for (const auto& study : studies::compute_studies())
    for (const ClaimSpec& claim : study.schema.claims)
      if (is_of(claim.id, id)) studies.insert(study.schema.id);
  return studies;
}

/// H1 to H8, O1 to O7, T1 to T17, F1 to F20, P1 to P5.
std::vector<std::string> source_ids() {
  std::vector<std::string> all;
  for (const auto& [letter, count] :
       {std::pair('H', 8), std::pair('O', 7), std::pair('T', 17), std::pair('F', 20), std::pair('P', 5)})
    for (int i = 1; i <= count; ++i) all.push_back(letter + std::to_string(i));
  return all;
}

}  // namespace

TEST_CASE("the list of claims cites the text of each letter as the page does", "[claims][docs]") {
  std::ifstream file(in_repository("docs/claims.md"));
  REQUIRE(file);
  std::set<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.insert(line);
  for (const std::string& id : source_ids()) {
    INFO(id);
    CHECK(lines.contains("| " + id.substr(0, 1) + " | " + std::string(source_text(id)) + " |"));
  }
  for (const char* other : {"", "F", "TL-loss", "NAMES", "1F", "Q1"}) CHECK(source_text(other).empty());
}

TEST_CASE("every id of the source texts is in the list of claims once", "[claims][docs]") {
  const std::vector<Listed> all = entries();
  for (const std::string& id : source_ids()) {
    INFO(id);
    CHECK(std::ranges::count(all, id, &Listed::id) == 1);
  }
  std::set<std::string> ids;
  for (const Listed& entry : all) {
    INFO(entry.id);
    CHECK(ids.insert(entry.id).second);
    CHECK(entry.about.size() > 10);
  }
}

TEST_CASE("the list of claims says where each is judged, or which study shows it and what is missing",
          "[claims][docs]") {
  for (const Listed& entry : entries()) {
    INFO(entry.id);
    const std::set<std::string> declared = declaring(entry.id);
    if (entry.judged) {
      CHECK(entry.studies == declared);
    } else {
      CHECK(declared.empty());
      CHECK(entry.why.size() > 20);
      CHECK(studies::find_compute_study(*entry.studies.begin()));
    }
  }
}

TEST_CASE("every claim that a study declares is in the list", "[claims][docs]") {
  const std::vector<Listed> all = entries();
  for (const auto& study : studies::compute_studies())
    for (const ClaimSpec& claim : study.schema.claims) {
      INFO(claim.id);
      CHECK(std::ranges::count_if(all, [&](const Listed& entry) { return is_of(claim.id, entry.id); }) == 1);
    }
}

}  // namespace claims_list_test
