#include "model/hooks.h"

#include <array>

#include "base/text.h"

namespace helix::model {
namespace {

struct Named {
  HookKind kind;
  std::string_view name;  // after "blocks.L." where it stands in layers
  bool layered;
};

// In the order of HookKind.
constexpr std::array<Named, 23> kHooks{{{HookKind::embed, "hook_embed", false},
                                        {HookKind::pos_embed, "hook_pos_embed", false},
                                        {HookKind::resid_pre, "hook_resid_pre", true},
                                        {HookKind::ln1_scale, "ln1.hook_scale", true},
                                        {HookKind::ln1_normalized, "ln1.hook_normalized", true},
                                        {HookKind::q, "attn.hook_q", true},
                                        {HookKind::k, "attn.hook_k", true},
                                        {HookKind::v, "attn.hook_v", true},
                                        {HookKind::scores_raw, "attn.hook_scores_raw", true},
                                        {HookKind::scores, "attn.hook_attn_scores", true},
                                        {HookKind::pattern, "attn.hook_pattern", true},
                                        {HookKind::z, "attn.hook_z", true},
                                        {HookKind::result, "attn.hook_result", true},
                                        {HookKind::attn_out, "hook_attn_out", true},
                                        {HookKind::resid_mid, "hook_resid_mid", true},
                                        {HookKind::ln2_scale, "ln2.hook_scale", true},
                                        {HookKind::ln2_normalized, "ln2.hook_normalized", true},
                                        {HookKind::mlp_pre, "mlp.hook_pre", true},
                                        {HookKind::mlp_post, "mlp.hook_post", true},
                                        {HookKind::mlp_out, "hook_mlp_out", true},
                                        {HookKind::resid_post, "hook_resid_post", true},
                                        {HookKind::final_scale, "ln_final.hook_scale", false},
                                        {HookKind::final_normalized, "ln_final.hook_normalized", false}}};

const Named& named(HookKind kind) { return kHooks[static_cast<std::size_t>(kind)]; }

}  // namespace

bool in_layers(HookKind kind) { return named(kind).layered; }

bool has_heads_apart(HookKind kind) { return kind >= HookKind::scores_raw && kind <= HookKind::pattern; }

std::string hook_name(Hook hook) {
  const Named& known = named(hook.kind);
  const std::string name(known.name);
  return known.layered ? "blocks." + std::to_string(hook.layer) + "." + name : name;
}

Expected<Hook> parse_hook(std::string_view name, std::size_t n_layer) {
  constexpr std::string_view kBlocks = "blocks.";
  std::string_view rest = name;
  std::size_t layer = 0;
  const bool layered = rest.starts_with(kBlocks);
  if (layered) {
    rest.remove_prefix(kBlocks.size());
    const std::size_t dot = rest.find('.');
    const auto number = parse_int(rest.substr(0, dot));
    if (dot == std::string_view::npos || !number || *number < 0)
      return Error{in_quotes(name) + " is not a hook: “blocks.” must be followed by the number of a layer."};
    if (static_cast<std::size_t>(*number) >= n_layer)
      return Error{"There is no layer " + std::to_string(*number) + "; the last one is " + std::to_string(n_layer - 1) +
                   "."};
    layer = static_cast<std::size_t>(*number);
    rest.remove_prefix(dot + 1);
  }
  for (const Named& known : kHooks)
    if (known.layered == layered && known.name == rest) return Hook{known.kind, layer};
  return Error{"There is no hook " + in_quotes(name) + "; hooks have names such as blocks.0.attn.hook_pattern."};
}

std::vector<Hook> all_hooks(std::size_t n_layer) {
  std::vector<Hook> hooks{{HookKind::embed}, {HookKind::pos_embed}};
  for (std::size_t layer = 0; layer < n_layer; ++layer)
    for (const Named& known : kHooks)
      if (known.layered) hooks.push_back({known.kind, layer});
  hooks.push_back({HookKind::final_scale});
  hooks.push_back({HookKind::final_normalized});
  return hooks;
}

}  // namespace helix::model
