// What --edit and --hook take, as lists: a model is not needed for either.
#include "base/edit_forms.h"
#include "base/text.h"
#include "cli/cli.h"
#include "model/capture.h"
#include "protocol/json.h"

namespace helix::cli {
namespace {

using protocol::Json;

/// "blocks.L.attn.hook_z": the name of a hook in any layer.
std::string in_any_layer(model::Hook hook) {
  const std::string name = model::hook_name(hook), first = "blocks.0.";
  return name.starts_with(first) ? "blocks.L." + name.substr(first.size()) : name;
}

std::vector<std::string> axes_of(model::Hook hook) {
  checkpoint::Config sizes;
  sizes.n_layer = 1, sizes.n_head = 1, sizes.d_model = 2, sizes.d_head = 2, sizes.d_mlp = 2;
  return model::Capture(hook, sizes, 1).axes();
}

}  // namespace

Outcome edits(const Options& options) {
  Json all = Json::array();
  std::string text, group;
  for (const EditForm& form : edit_forms()) {
    all.push_back({{"name", form.name},
                   {"group", form.group},
                   {"form", written(form)},
                   {"label", form.label},
                   {"help", form.sentence}});
    if (group != form.group) text += (text.empty() ? "" : "\n") + std::string(form.group) + "\n";
    group = form.group;
    text += "  " + written(form) + "  " + std::string(form.label) + ". " + std::string(form.sentence) + "\n";
  }
  return {options.has("json") ? protocol::dump(all) + "\n" : text, "", 0};
}

Outcome hooks(const Options& options) {
  Json all = Json::array();
  std::string text;
  for (const model::Hook& hook : model::all_hooks(1)) {
    const std::string name = in_any_layer(hook);
    const auto axes = axes_of(hook);
    all.push_back({{"name", name}, {"axes", axes}});
    text += name + "  [" + join(axes, ", ") + "]\n";
  }
  return {options.has("json") ? protocol::dump(all) + "\n" : text, "", 0};
}

}  // namespace helix::cli
