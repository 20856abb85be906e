#include "checkpoint/pack_manifest.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "base/nesting.h"
#include "base/text.h"
#include "checkpoint/sentence.h"
#include "kernels/q8.h"

namespace helix::checkpoint {
namespace {

using Written = nlohmann::ordered_json;  // keys stay in the order in which they are read
using Read = nlohmann::json;

constexpr std::uint64_t kMaxWhole = (std::uint64_t{1} << 53) - 1;  // JavaScript counts exactly up to here
constexpr std::size_t kMaxFiles = 100;
constexpr std::size_t kMaxMissing = 100;
constexpr std::size_t kMaxTensors = 100'000;
constexpr std::size_t kHashDigits = 64;

// A name that stays in its folder, on every system and in every address.
bool is_plain_name(std::string_view name) {
  constexpr std::string_view kAllowed = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
  constexpr std::string_view kNotFirst = "._-";
  return !name.empty() && name.size() <= 100 && kNotFirst.find(name.front()) == std::string_view::npos &&
         name.find_first_not_of(kAllowed) == std::string_view::npos;
}

// Takes the entries out of the parsed document; the first error is kept as the complaint.
class Reader {
 public:
  const std::string& complaint() const { return complaint_; }

  bool read(const Read& json, PackManifest& into) {
    if (!json.is_object()) return complain("it is not a JSON object");
    if (text_in(json, "format") != kPackFormat) return complain("it does not say that it is a pack");
    std::uint64_t version = 0;
    if (!number(json, "version", 1, kMaxWhole, version)) return false;
    if (version > kPackVersion)
      return complain("it is of version " + std::to_string(version) +
                      ", made for a newer helixscope than this one, which reads version " +
                      std::to_string(kPackVersion));
    return text(json, "name", into.name) && precision(json, into) && number(json, "bytes", 1, kMaxWhole, into.bytes) &&
           hash(json, "sha256", into.sha256) && source(json, into) && config(json, into) && missing(json, into) &&
           quantised(json, into) && shards(json, into) && files(json, into);
  }

 private:
  bool complain(std::string what) {
    complaint_ = std::move(what);
    return false;
  }
  bool lacks(std::string_view key, std::string_view kind) {
    return complain("its " + in_quotes(key) + " " + where_ + "is not " + std::string(kind));
  }

  static const Read* find(const Read& object, const char* key) {
    const auto it = object.find(key);
    return it == object.end() ? nullptr : &*it;
  }
  static std::string text_in(const Read& object, const char* key) {
    const Read* found = find(object, key);
    return found && found->is_string() ? found->get_ref<const std::string&>() : std::string();
  }

  bool text(const Read& object, const char* key, std::string& into) {
    into = text_in(object, key);
    return (!into.empty() && into.size() <= kMaxNameBytes) ||
           lacks(key, "a text of 1 to " + std::to_string(kMaxNameBytes) + " bytes");
  }
  bool hash(const Read& object, const char* key, std::string& into) {
    into = text_in(object, key);
    return (into.size() == kHashDigits && into.find_first_not_of("0123456789abcdef") == std::string::npos) ||
           lacks(key, "a SHA-256 of 64 lower-case hexadecimal digits");
  }
  bool number(const Read& object, const char* key, std::uint64_t least, std::uint64_t most, std::uint64_t& into) {
    const Read* found = find(object, key);
    if (found && found->is_number_unsigned()) {
      into = found->get<std::uint64_t>();
      if (into >= least && into <= most) return true;
    }
    return lacks(key, "a whole number from " + std::to_string(least) + " to " + std::to_string(most));
  }
  const Read* list(const Read& object, const char* key, std::size_t most) {
    const Read* found = find(object, key);
    if (found && found->is_array() && found->size() <= most) return found;
    lacks(key, "a list of at most " + std::to_string(most) + " entries");
    return nullptr;
  }

  bool precision(const Read& json, PackManifest& into) {
    const auto named = precision_named(text_in(json, "precision"));
    if (!named) return lacks("precision", "f32, f16 or q8");
    into.precision = *named;
    return true;
  }
  bool source(const Read& json, PackManifest& into) {
    const Read* found = find(json, "source");
    if (!found || !found->is_object()) return lacks("source", "a JSON object");
    where_ = "of the source ";
    const bool good = text(*found, "name", into.source_name) && hash(*found, "sha256", into.source_sha256);
    where_.clear();
    return good;
  }
  bool config(const Read& json, PackManifest& into) {
    const Read* found = find(json, "config");
    if (!found || !found->is_object()) return lacks("config", "a JSON object");
    into.config_json = found->dump();
    return true;
  }
  bool texts(const Read& json, const char* key, std::size_t most, std::vector<std::string>& into) {
    const Read* found = list(json, key, most);
    if (!found) return false;
    for (const Read& entry : *found) {
      if (!entry.is_string() || entry.get_ref<const std::string&>().size() > kMaxNameBytes)
        return lacks(key, "a list of short texts");
      into.push_back(entry.get<std::string>());
    }
    return true;
  }
  bool missing(const Read& json, PackManifest& into) {
    return !find(json, "missing") || texts(json, "missing", kMaxMissing, into.missing);
  }
  bool quantised(const Read& json, PackManifest& into) {
    if (into.precision != PackPrecision::Q8) return true;
    const Read* found = find(json, "quantised");
    if (!found || !found->is_object()) return lacks("quantised", "a JSON object, as a pack in q8 needs");
    auto& quantised = into.quantised.emplace();
    where_ = "of its entry \"quantised\" ";
    if (!number(*found, "group", 1, kMaxWhole, quantised.group) || !text(*found, "scales", quantised.scales) ||
        !texts(*found, "tensors", kMaxTensors, quantised.tensors) || !texts(*found, "others", 10, quantised.others))
      return false;
    if (quantised.group != kernels::kQ8Group) return lacks("group", std::to_string(kernels::kQ8Group));
    if (quantised.scales != "F32") return lacks("scales", "F32");
    where_.clear();
    return true;
  }

  // The name, size and hash that shards and files have in common.
  template <class Entry>
  bool entry(const Read& json, std::string_view what, std::size_t index, std::uint64_t least, std::uint64_t most,
             Entry& into) {
    where_ = "of " + std::string(what) + " " + std::to_string(index + 1) + " ";
    if (!json.is_object()) return complain(std::string(what) + " " + std::to_string(index + 1) + " is no JSON object");
    into.file = text_in(json, "file");
    if (!is_plain_name(into.file)) return lacks("file", "a plain file name");
    if (into.file == kManifestName || !names_.insert(into.file).second)
      return complain("it lists the file " + in_quotes(into.file) + " twice");
    return number(json, "bytes", least, most, into.bytes) && hash(json, "sha256", into.sha256);
  }
  bool shards(const Read& json, PackManifest& into) {
    const Read* found = list(json, "shards", kMaxShards);
    if (!found) return false;
    std::uint64_t at = 0;
    for (std::size_t i = 0; i < found->size(); ++i) {
      PackManifest::Shard shard;
      if (!entry((*found)[i], "shard", i, 1, kMaxShardBytes, shard) ||
          !number((*found)[i], "offset", 0, kMaxWhole, shard.offset))
        return false;
      if (shard.offset != at)
        return complain("its shard " + in_quotes(shard.file) + " begins at byte " + std::to_string(shard.offset) +
                        " where the one before ends at " + std::to_string(at));
      at += shard.bytes;
      into.shards.push_back(std::move(shard));
    }
    where_.clear();
    return at == into.bytes || complain("its shards have " + byte_count(at) + " together and the whole should have " +
                                        byte_count(into.bytes));
  }
  bool files(const Read& json, PackManifest& into) {
    const Read* found = list(json, "files", kMaxFiles);
    if (!found) return false;
    for (std::size_t i = 0; i < found->size(); ++i) {
      PackManifest::File file;
      if (!entry((*found)[i], "file", i, 0, kMaxWhole, file)) return false;
      into.files.push_back(std::move(file));
    }
    return true;
  }

  std::string complaint_;
  std::string where_;
  std::set<std::string> names_;
};

Error refused(std::string_view source, std::string_view why) {
  return {"The manifest.json of " + in_quotes(source, 4096) + " cannot be used: " + std::string(why) +
          "; copy the pack again or choose another model."};
}

}  // namespace

std::string_view precision_name(PackPrecision precision) {
  switch (precision) {
    case PackPrecision::F32:
      return "f32";
    case PackPrecision::F16:
      return "f16";
    default:
      return "q8";
  }
}

std::optional<PackPrecision> precision_named(std::string_view name) {
  for (const PackPrecision precision : {PackPrecision::F32, PackPrecision::F16, PackPrecision::Q8})
    if (precision_name(precision) == name) return precision;
  return std::nullopt;
}

std::string shard_name(std::size_t index) {
  const std::string number = std::to_string(index + 1);
  return "weights-" + std::string(5 - std::min<std::size_t>(number.size(), 5), '0') + number + ".bin";
}

std::string to_json(const PackManifest& manifest) {
  Written shards = Written::array(), files = Written::array();
  for (const auto& shard : manifest.shards)
    shards.push_back(
        {{"file", shard.file}, {"offset", shard.offset}, {"bytes", shard.bytes}, {"sha256", shard.sha256}});
  for (const auto& file : manifest.files)
    files.push_back({{"file", file.file}, {"bytes", file.bytes}, {"sha256", file.sha256}});
  const Written config = Written::parse(manifest.config_json, nullptr, false);
  Written json = {{"format", kPackFormat},
                  {"version", kPackVersion},
                  {"name", manifest.name},
                  {"precision", precision_name(manifest.precision)},
                  {"bytes", manifest.bytes},
                  {"sha256", manifest.sha256},
                  {"source", {{"name", manifest.source_name}, {"sha256", manifest.source_sha256}}},
                  {"config", config.is_object() ? config : Written::object()},
                  {"missing", manifest.missing}};
  if (const auto& q = manifest.quantised)
    json["quantised"] = {{"group", q->group}, {"scales", q->scales}, {"tensors", q->tensors}, {"others", q->others}};
  json["shards"] = std::move(shards);
  json["files"] = std::move(files);
  return json.dump(1, ' ', false, Written::error_handler_t::replace) + "\n";
}

Expected<PackManifest> read_manifest(std::string_view json, std::string_view source) {
  if (json.size() > kMaxManifestBytes) return refused(source, "it has " + byte_count(json.size()));
  if (nested_too_deeply(json)) return refused(source, "it is nested too deeply");
  // The JSON reader takes a NUL for the end of the text.
  const Read document =
      json.find('\0') == std::string_view::npos ? Read::parse(json, nullptr, false) : Read(Read::value_t::discarded);
  if (document.is_discarded()) return refused(source, "it is not valid JSON, perhaps cut short");
  PackManifest manifest;
  Reader reader;
  if (!reader.read(document, manifest)) return refused(source, reader.complaint());
  return manifest;
}

}  // namespace helix::checkpoint
