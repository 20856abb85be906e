#include "checkpoint/config_json.h"

#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "base/nesting.h"
#include "base/text.h"

namespace helix::checkpoint {
namespace {

constexpr std::uint64_t kMaxSize = 1'000'000'000;  // of any extent of a model

// Takes the known entries of the outer object and steps over everything else, nested or not.
class ConfigReader {
 public:
  explicit ConfigReader(ConfigEntries& into) : into_(into) {}

  const std::string& complaint() const { return complaint_; }

  bool start_object(std::size_t) { return deeper(); }
  bool start_array(std::size_t) { return depth_ == 0 ? complain("is not a JSON object") : deeper(); }
  bool end_object() { return --depth_, true; }
  bool end_array() { return --depth_, true; }
  bool key(std::string& key) {
    if (depth_ == 1) key_ = std::move(key);
    return true;
  }
  bool null() { return depth_ > 0 || complain("is not a JSON object"); }  // null counts as absent
  bool boolean(bool value) {
    if (auto* flag = find(kFlags)) return *flag = value, true;
    return unless_known("true or false");
  }
  bool number_unsigned(std::uint64_t value) {
    if (auto* size = find(kSizes)) {
      if (value == 0 || value > kMaxSize) return complain("has an impossible " + key_ + " of " + std::to_string(value));
      return *size = value, true;
    }
    return number_float(static_cast<double>(value), {});
  }
  bool number_integer(std::int64_t) { return unless_known("a negative number"); }
  bool number_float(double value, const std::string&) {
    if (!at_key("layer_norm_epsilon")) return unless_known("a number");
    if (!(value > 0 && value < 1)) return complain("has an impossible layer_norm_epsilon");
    into_.layer_norm_epsilon = value;
    return true;
  }
  bool string(std::string& value) {
    if (auto* text = find(kTexts)) return *text = std::move(value), true;
    return unless_known("a text");
  }
  bool binary(std::vector<std::uint8_t>&) { return complain("is not JSON"); }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::json::exception&) {
    return complain("is not valid JSON (near its byte " + std::to_string(position) + ")");
  }

 private:
  template <class T>
  struct Field {
    std::string_view key;
    std::optional<T> ConfigEntries::* member;
  };
  static constexpr Field<std::uint64_t> kSizes[] = {
      {"n_layer", &ConfigEntries::n_layer}, {"n_head", &ConfigEntries::n_head},
      {"n_embd", &ConfigEntries::n_embd},   {"n_positions", &ConfigEntries::n_positions},
      {"n_ctx", &ConfigEntries::n_ctx},     {"vocab_size", &ConfigEntries::vocab_size},
      {"n_inner", &ConfigEntries::n_inner},
  };
  static constexpr Field<bool> kFlags[] = {
      {"tie_word_embeddings", &ConfigEntries::tie_word_embeddings},
      {"scale_attn_weights", &ConfigEntries::scale_attn_weights},
      {"scale_attn_by_inverse_layer_idx", &ConfigEntries::scale_attn_by_inverse_layer_idx},
  };
  static constexpr Field<std::string> kTexts[] = {
      {"model_type", &ConfigEntries::model_type},
      {"activation_function", &ConfigEntries::activation_function},
  };

  bool at_key(std::string_view key) const { return depth_ == 1 && key_ == key; }

  template <class T, std::size_t N>
  std::optional<T>* find(const Field<T> (&fields)[N]) {
    for (const Field<T>& field : fields)
      if (at_key(field.key)) return &(into_.*field.member);
    return nullptr;
  }
  // A value of the wrong kind is an error only in an entry that is used.
  bool unless_known(std::string_view what) {
    if (depth_ == 0) return complain("is not a JSON object");
    if (find(kSizes) || find(kFlags) || find(kTexts) || at_key("layer_norm_epsilon"))
      return complain("has " + std::string(what) + " where " + key_ + " belongs");
    return true;
  }
  bool deeper() {
    if (depth_ == 1 && !unless_known("a list or an object")) return false;
    return ++depth_ <= kMaxNesting || complain("is nested too deeply");
  }
  bool complain(std::string what) {
    complaint_ = std::move(what);
    return false;
  }

  ConfigEntries& into_;
  int depth_ = 0;
  std::string key_;
  std::string complaint_;
};

}  // namespace

Expected<ConfigEntries> read_config_json(std::string_view json, std::string_view source) {
  ConfigEntries entries;
  ConfigReader reader(entries);
  // The JSON reader takes a NUL for the end of the text.
  const bool has_nul = json.find('\0') != std::string_view::npos;
  if (!has_nul && nlohmann::json::sax_parse(json, &reader)) return entries;
  return Error{"The config.json of " + in_quotes(source) + " " + (has_nul ? "is not valid JSON" : reader.complaint()) +
               "; download it again."};
}

std::string to_json(const ConfigEntries& entries) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  const auto put = [&](const char* key, const auto& entry) {
    if (entry) json[key] = *entry;
  };
  put("model_type", entries.model_type);
  put("n_layer", entries.n_layer), put("n_head", entries.n_head), put("n_embd", entries.n_embd);
  put("n_positions", entries.n_positions), put("n_ctx", entries.n_ctx), put("vocab_size", entries.vocab_size);
  put("n_inner", entries.n_inner), put("activation_function", entries.activation_function);
  put("layer_norm_epsilon", entries.layer_norm_epsilon), put("tie_word_embeddings", entries.tie_word_embeddings);
  put("scale_attn_weights", entries.scale_attn_weights);
  put("scale_attn_by_inverse_layer_idx", entries.scale_attn_by_inverse_layer_idx);
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace helix::checkpoint
