#include "checkpoint/config.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "base/text.h"
#include "checkpoint/config_json.h"
#include "checkpoint/sentence.h"

namespace helix::checkpoint {
namespace {

constexpr std::size_t kMaxLayers = 1000;

enum Dim : std::size_t { None, Context, Vocabulary, Model, Model3, Mlp, kDims };

// GPT-2's tensors, named without "transformer." and "h.N.". Matrices are [in, out].
struct TensorRow {
  std::string_view name;
  Dim rows;
  Dim cols;
};
constexpr std::array<TensorRow, 5> kOuter = {{{"wpe.weight", Context, Model},
                                              {"wte.weight", Vocabulary, Model},
                                              {"ln_f.weight", Model, None},
                                              {"ln_f.bias", Model, None},
                                              {"lm_head.weight", Vocabulary, Model}}};
// Attention's come first: kAttention of them.
constexpr std::array<TensorRow, 12> kLayer = {{{"ln_1.weight", Model, None},
                                               {"ln_1.bias", Model, None},
                                               {"attn.c_attn.weight", Model, Model3},
                                               {"attn.c_attn.bias", Model3, None},
                                               {"attn.c_proj.weight", Model, Model},
                                               {"attn.c_proj.bias", Model, None},
                                               {"ln_2.weight", Model, None},
                                               {"ln_2.bias", Model, None},
                                               {"mlp.c_fc.weight", Model, Mlp},
                                               {"mlp.c_fc.bias", Mlp, None},
                                               {"mlp.c_proj.weight", Mlp, Model},
                                               {"mlp.c_proj.bias", Model, None}}};
constexpr std::size_t kAttention = 6;

constexpr std::array<std::string_view, kDims> kDimWords = {
    "", "positions", "words in the vocabulary", "dimensions", "queries, keys and values", "MLP neurons"};

std::string layer_name(std::size_t layer, std::string_view name) {
  return "h." + std::to_string(layer) + "." + std::string(name);
}

// The N of "h.N.": digits without a leading zero; nothing for other names.
std::optional<std::uint64_t> layer_of(std::string_view name) {
  if (!name.starts_with("h.")) return std::nullopt;
  name.remove_prefix(2);
  const std::size_t digits = name.find('.');
  if (digits == 0 || digits > 9 || (digits > 1 && name[0] == '0')) return std::nullopt;
  const auto number = parse_int(name.substr(0, digits));
  if (!number || *number < 0) return std::nullopt;
  return static_cast<std::uint64_t>(*number);
}

// Finds each dimension in the first tensor that has it, and checks all others against it.
class Shapes {
 public:
  Shapes(const Header& header, std::string_view source) : header_(header), source_(source) {}

  std::uint64_t extent(Dim dim) const { return extents_[dim]; }

  Expected<void> check(const std::string& name, const TensorRow& row) {
    const TensorInfo* tensor = header_.find(name);
    if (tensor == nullptr) return {};
    const std::size_t rank = row.cols == None ? 1 : 2;
    if (tensor->shape.size() != rank) {
      return Error{"The tensor " + in_quotes(name) + " of " + in_quotes(source_) + " has " +
                   std::to_string(tensor->shape.size()) + " dimensions where GPT-2 has " + std::to_string(rank) +
                   "; choose a GPT-2 checkpoint."};
    }
    if (auto bound = bind(row.rows, tensor->shape[0], name); !bound) return bound;
    return rank == 1 ? Expected<void>() : bind(row.cols, tensor->shape[1], name);
  }

  /// Checks `dim` against config.json, or takes it from there.
  Expected<void> check(Dim dim, std::optional<std::uint64_t> extent) {
    return extent ? bind(dim, *extent, "config.json") : Expected<void>();
  }

 private:
  Expected<void> bind(Dim dim, std::uint64_t extent, const std::string& name) {
    const std::uint64_t factor = dim == Model3 ? 3 : 1;
    const Dim base = dim == Model3 ? Model : dim;
    if (extent == 0 || extent % factor != 0 || extent > 1'000'000'000) {
      return Error{in_quotes(name) + " of " + in_quotes(source_) + " has an impossible number of " +
                   std::string(kDimWords[dim]) + " (" + std::to_string(extent) + "); choose a GPT-2 checkpoint."};
    }
    if (extents_[base] == 0) {
      extents_[base] = extent / factor;
      origins_[base] = name;
    }
    if (extents_[base] == extent / factor) return {};
    return Error{"The parts of " + in_quotes(source_) + " contradict each other: " + in_quotes(origins_[base]) +
                 " says " + std::to_string(extents_[base]) + " " + std::string(kDimWords[base]) + " and " +
                 in_quotes(name) + " says " + std::to_string(extent / factor) + "; use files that belong together."};
  }

  const Header& header_;
  std::string_view source_;
  std::array<std::uint64_t, kDims> extents_ = {};
  std::array<std::string, kDims> origins_;
};

Expected<std::size_t> count_layers(const Header& header, const ConfigEntries& entries, std::string_view source) {
  std::uint64_t count = 0;
  for (const TensorInfo& tensor : header.tensors)
    if (const auto layer = layer_of(bare_name(tensor.name))) count = std::max(count, *layer + 1);
  if (entries.n_layer && count > *entries.n_layer) {
    return Error{"The parts of " + in_quotes(source) + " contradict each other: config.json says " +
                 std::to_string(*entries.n_layer) + " layers and the tensors say " + std::to_string(count) +
                 "; use files that belong together."};
  }
  count = entries.n_layer.value_or(count);  // a partial checkpoint may hold fewer layers than the model has
  if (count > kMaxLayers) {
    return Error{in_quotes(source) + " has " + std::to_string(count) + " layers, more than the " +
                 std::to_string(kMaxLayers) + " that can be read; choose a smaller model."};
  }
  return static_cast<std::size_t>(count);
}

Expected<void> check_tensors(Shapes& shapes, std::size_t n_layer) {
  for (const TensorRow& row : kOuter)
    if (auto checked = shapes.check(std::string(row.name), row); !checked) return checked;
  for (std::size_t layer = 0; layer < n_layer; ++layer)
    for (const TensorRow& row : kLayer)
      if (auto checked = shapes.check(layer_name(layer, row.name), row); !checked) return checked;
  return {};
}

Expected<void> check_entries(Shapes& shapes, const ConfigEntries& entries) {
  const std::array<std::pair<Dim, std::optional<std::uint64_t>>, 5> said = {{{Model, entries.n_embd},
                                                                             {Context, entries.n_positions},
                                                                             {Context, entries.n_ctx},
                                                                             {Vocabulary, entries.vocab_size},
                                                                             {Mlp, entries.n_inner}}};
  for (const auto& [dim, extent] : said)
    if (auto checked = shapes.check(dim, extent); !checked) return checked;
  return {};
}

Expected<std::size_t> count_heads(std::size_t d_model, const ConfigEntries& entries, std::string_view source) {
  if (!entries.n_head) return d_model % 64 == 0 ? d_model / 64 : 0;
  if (d_model % *entries.n_head == 0) return static_cast<std::size_t>(*entries.n_head);
  return Error{"The parts of " + in_quotes(source) + " contradict each other: config.json says " +
               std::to_string(*entries.n_head) + " heads, which do not divide the " + std::to_string(d_model) +
               " dimensions; use files that belong together."};
}

// Variants of GPT-2 that share its tensors but not its arithmetic: to run them as GPT-2 would be silently
// wrong.
std::string forward_obstacle(const ConfigEntries& entries, std::string_view source) {
  const std::string activation = entries.activation_function.value_or("gelu_new");
  std::string why;
  if (activation != "gelu_new" && activation != "gelu_pytorch_tanh")
    why = "its activation function is " + in_quotes(activation);
  else if (entries.scale_attn_by_inverse_layer_idx.value_or(false))
    why = "it divides attention scores by the layer number";
  else if (!entries.scale_attn_weights.value_or(true))
    why = "it does not scale attention scores";
  if (why.empty()) return {};
  return "Text cannot be run through " + in_quotes(source) + ": by its config.json " + why +
         ", unlike GPT-2; its weights can still be studied.";
}

bool holds_all(const Header& header, const std::vector<std::string>& names) {
  return std::all_of(names.begin(), names.end(), [&](const std::string& name) { return header.find(name); });
}

// The page's words for a group of tensors, in the order in which a sentence lists them.
constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kPartWords = {{
    {"wpe.weight", "position embeddings (wpe.weight)"},
    {"wte.weight", "word embeddings (wte.weight)"},
    {"lm_head.weight", "the output head (lm_head.weight)"},
    {"attn.c_attn.weight|attn.c_proj.weight", "the attention matrices"},
    {"attn.c_attn.bias|attn.c_proj.bias", "the attention biases"},
    {"mlp.c_fc.weight|mlp.c_proj.weight", "the MLP matrices"},
    {"mlp.c_fc.bias|mlp.c_proj.bias", "the MLP biases"},
    {"ln_1.weight|ln_1.bias|ln_2.weight|ln_2.bias", "the LayerNorms of the layers"},
    {"ln_f.weight|ln_f.bias", "the last LayerNorm (ln_f)"},
}};

std::vector<std::string> in_words(const std::vector<std::string>& tensors) {
  std::vector<std::string> words;
  for (const auto& [names, word] : kPartWords) {
    const auto group = split(names, '|');
    const bool any = std::any_of(tensors.begin(), tensors.end(), [&](std::string_view tensor) {
      if (layer_of(tensor)) tensor.remove_prefix(tensor.find('.', 2) + 1);
      return std::find(group.begin(), group.end(), tensor) != group.end();
    });
    if (any) words.emplace_back(word);
  }
  return words;
}

}  // namespace

Expected<Config> make_config(const Header& header, std::optional<std::string_view> config_json,
                             std::string_view source) {
  ConfigEntries entries;
  if (config_json) {
    auto read = read_config_json(*config_json, source);
    if (!read) return read.error();
    entries = std::move(*read);
  }
  if (entries.model_type && *entries.model_type != "gpt2") {
    return Error{in_quotes(source) + " is a model of type " + in_quotes(*entries.model_type) +
                 " according to its config.json; choose a model of the GPT-2 architecture."};
  }
  auto n_layer = count_layers(header, entries, source);
  if (!n_layer) return n_layer.error();
  Shapes shapes(header, source);
  if (auto checked = check_tensors(shapes, *n_layer); !checked) return checked.error();
  if (shapes.extent(Model) == 0) {
    return Error{in_quotes(source) + " holds none of GPT-2's tensors, such as " + in_quotes("wpe.weight") +
                 "; choose a checkpoint of the GPT-2 architecture."};
  }
  if (auto checked = check_entries(shapes, entries); !checked) return checked.error();

  Config config;
  config.n_layer = *n_layer;
  config.d_model = static_cast<std::size_t>(shapes.extent(Model));
  config.n_ctx = static_cast<std::size_t>(shapes.extent(Context));
  config.n_vocab = static_cast<std::size_t>(shapes.extent(Vocabulary));
  config.d_mlp = static_cast<std::size_t>(shapes.extent(Mlp));
  auto n_head = count_heads(config.d_model, entries, source);
  if (!n_head) return n_head.error();
  config.n_head = *n_head;
  config.d_head = *n_head == 0 ? 0 : config.d_model / *n_head;
  config.layer_norm_epsilon = entries.layer_norm_epsilon.value_or(config.layer_norm_epsilon);
  // A config.json without tie_word_embeddings means a tied head. Without a config.json, a lm_head.weight means a head
  // of its own.
  config.tied_head = config_json ? entries.tie_word_embeddings.value_or(true) : !header.find("lm_head.weight");
  config.forward_obstacle = forward_obstacle(entries, source);
  return config;
}

Expected<std::size_t> known_heads(const Config& config, std::string_view source) {
  if (config.n_head > 0) return config.n_head;
  return Error{"The number of attention heads of " + in_quotes(source) +
               " cannot be told from its tensors; add the model's config.json."};
}

std::vector<std::string> tensors_for(Need need, const Config& config) {
  std::vector<std::string> names;
  if (need != Need::Attention) names.emplace_back("wpe.weight");
  if (need == Need::Everything) {
    for (const char* name : {"wte.weight", "ln_f.weight", "ln_f.bias"}) names.emplace_back(name);
    if (!config.tied_head) names.emplace_back("lm_head.weight");
  }
  if (need == Need::Positions) return names;
  const std::size_t rows = need == Need::Attention ? kAttention : kLayer.size();
  for (std::size_t layer = 0; layer < config.n_layer; ++layer)
    for (std::size_t i = 0; i < rows; ++i) names.push_back(layer_name(layer, kLayer[i].name));
  return names;
}

std::string Parts::missing_text() const {
  if (missing_parts.empty()) return {};
  const bool several = missing_parts.size() > 1 || missing_parts[0].find("head") == std::string::npos;
  return listed(missing_parts) + (several ? " are missing" : " is missing");
}

Parts parts_of(const Header& header, const Config& config) {
  Parts parts;
  parts.positions = holds_all(header, tensors_for(Need::Positions, config));
  parts.attention_weights = config.n_layer > 0 && holds_all(header, tensors_for(Need::Attention, config));
  for (std::string& name : tensors_for(Need::Everything, config))
    if (!header.find(name)) parts.missing_tensors.push_back(std::move(name));
  parts.missing_parts = in_words(parts.missing_tensors);
  if (config.n_layer == 0) parts.missing_parts.emplace_back("all layers (h.0 and on)");
  parts.everything = parts.missing_parts.empty();
  return parts;
}

}  // namespace helix::checkpoint
