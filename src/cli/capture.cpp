#include <algorithm>
#include <span>

#include "base/text.h"
#include "checkpoint/write_file.h"
#include "cli/forward.h"
#include "protocol/export.h"

namespace helix::cli {

Outcome capture(const Options& options) {
  std::vector<std::string> hooks;  // each once: an archive cannot hold two files of one name
  for (const std::string& name : options.all("hook"))
    if (std::ranges::find(hooks, name) == hooks.end()) hooks.push_back(name);
  if (options.get("model").empty() || hooks.empty() || options.get("npz").empty())
    return misuse("capture needs --model PATH, --hook NAME and --npz FILE.");
  std::vector<model::Capture> captured;
  captured.reserve(hooks.size());
  const auto ran = run_forward(options, Logits::none, hooks, &captured);
  if (!ran) return failure(ran.error());
  protocol::Result result;
  std::string said;
  for (const model::Capture& capture : captured) {
    const std::string name = model::hook_name(capture.hook());
    result.arrays.push_back(
        {name, capture.shape(), capture.axes(), "", {capture.data().begin(), capture.data().end()}});
    said += name + "  [" + join(capture.axes(), ", ") + "]\n";
  }
  const auto bytes = protocol::to_npz(result);
  if (const auto ok = checkpoint::write_whole(options.get("npz"), std::as_bytes(std::span(bytes))); !ok)
    return failure(ok.error().sentence);
  return {said, "", 0};
}

}  // namespace helix::cli
