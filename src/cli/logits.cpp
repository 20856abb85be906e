#include <algorithm>
#include <span>

#include "base/text.h"
#include "base/utf8.h"
#include "checkpoint/write_file.h"
#include "cli/forward.h"
#include "model/sampling.h"
#include "protocol/export.h"
#include "protocol/json.h"

namespace helix::cli {
namespace {

using protocol::Json;

struct Likely {
  std::int32_t id = 0;
  std::string text;
  double logit = 0, probability = 0;
};

std::vector<Likely> most_likely(const Ran& ran, std::size_t count) {
  const auto row = ran.logits.row(ran.logits.rows - 1);
  const std::vector<double> p = model::probabilities(row);
  std::vector<Likely> out;
  for (const std::int32_t id : model::top_ids(row, count)) {
    const auto at = static_cast<std::size_t>(id);
    out.push_back({id, helix::studies::token_text(ran.opened.inputs, id), row[at], p[at]});
  }
  return out;
}

std::string document(const Ran& ran, const std::vector<Likely>& likely) {
  Json top = Json::array();
  for (const Likely& one : likely)
    top.push_back({{"id", one.id},
                   {"text", one.text},
                   {"logit", protocol::number(one.logit)},
                   {"probability", protocol::number(one.probability)}});
  const double nats = model::entropy_nats(model::probabilities(ran.logits.row(ran.logits.rows - 1)));
  return protocol::dump({{"tokens", ran.ready.prompt.ids},
                         {"convention", ran.ready.convention},
                         {"kernels", ran.opened.inputs.network->kernels().name},
                         {"precision", ran.opened.inputs.network->precision_text()},
                         {"entropy_nats", protocol::number(nats)},
                         {"top", top}}) +
         "\n";
}

}  // namespace

Outcome logits(const Options& options) {
  if (options.get("model").empty()) return misuse("logits needs --model PATH.");
  const std::string given = options.get("top");
  const auto count = given.empty() ? 10 : parse_int(given);
  if (!count || *count < 1) return misuse("--top takes a number of tokens, not " + in_quotes(given) + ".");
  const std::string npy = options.get("npy");
  const auto ran = run_forward(options, npy.empty() ? Logits::last : Logits::all);
  if (!ran) return failure(ran.error());
  if (!npy.empty()) {
    const auto bytes = protocol::to_npy(ran->logits);
    if (const auto ok = checkpoint::write_whole(npy, std::as_bytes(std::span(bytes))); !ok)
      return failure(ok.error().sentence);
  }
  const auto likely = most_likely(*ran, static_cast<std::size_t>(*count));
  if (options.has("json")) return {document(*ran, likely), "", 0};
  std::string out;
  for (const Likely& one : likely)
    out += std::to_string(one.id) + "  “" + one.text + "”  logit " + to_text(one.logit) + "  probability " +
           to_fixed(one.probability, 6) + "\n";
  return {out + ran->ready.convention + "\n", "", 0};
}

}  // namespace helix::cli
