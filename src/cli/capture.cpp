#include "base/text.h"
#include "cli/forward.h"
#include "cli/write_file.h"
#include "protocol/export.h"

namespace helix::cli {

Outcome capture(const Options& options) {
  const std::vector<std::string> hooks = options.all("hook");
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
  if (const auto ok = write_file(options.get("npz"), bytes.data(), bytes.size()); !ok)
    return failure(ok.error().sentence);
  return {said, "", 0};
}

}  // namespace helix::cli
