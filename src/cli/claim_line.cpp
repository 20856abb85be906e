#include "cli/claim_line.h"

#include "base/text.h"

namespace helix::cli {

std::string claim_line(const ClaimSpec& declared, const protocol::Claim& found) {
  std::string line = declared.id + "  " + std::string(verdict(found));
  if (found.elsewhere) line += " (" + std::string(model_title(declared.about)) + ")";
  line += ": " + declared.text;
  if (declared.stated) line += "  stated " + to_text(*declared.stated);
  if (found.here) line += "  here " + to_text(*found.here) + (declared.unit.empty() ? "" : " " + declared.unit);
  if (!found.needs.empty()) line += "  needs " + join(found.needs, ", ");
  return line + (found.convention.empty() ? "" : "  (" + found.convention + ")") + "\n";
}

}  // namespace helix::cli
