#include "protocol/claim_json.h"

#include "base/source_text.h"

namespace helix::protocol {
namespace {

Json optional_number(const std::optional<double>& value) { return value ? number(*value) : Json(nullptr); }

}  // namespace

std::string_view verdict(const Claim& claim) {
  if (claim.elsewhere) return kElsewhere;
  if (!claim.needs.empty()) return "not tested";
  return !claim.holds ? "shown" : *claim.holds ? "holds" : "does not hold";
}

Json claim_json(const Claim& claim, const ClaimSpec& declared) {
  Json json = {{"id", claim.id},
               {"text", declared.text},
               {"source", source_text(claim.id)},
               {"stated", optional_number(declared.stated)},
               {"here", optional_number(claim.here)},
               {"unit", declared.unit},
               {"about", declared.about},
               {"holds", claim.holds ? Json(*claim.holds) : Json(nullptr)},
               {"verdict", verdict(claim)}};
  if (!claim.needs.empty()) json["needs"] = claim.needs;
  json["convention"] = claim.convention;
  return json;
}

}  // namespace helix::protocol
