// Two runs with equal fingerprints give the same numbers.
#include "base/text.h"
#include "engine/engine.h"

namespace helix::engine {

using protocol::Run;

namespace {

std::string text_of(const Subject& subject) {
  std::string all = "\n" + subject.prompt + "\n" + (subject.bos ? "bos" : "") + (subject.keep_last ? "last" : "") +
                    std::string(kPrecisionNames[static_cast<std::size_t>(subject.precision)]);
  for (const std::int32_t id : subject.tokens) all += " " + std::to_string(id);
  for (const Edit& edit : subject.edits) all += (edit.on ? "\n" : "\n!") + edit.spec;
  for (const Subject& other : subject.other) all += "\n-" + text_of(other);
  return all;
}

}  // namespace

std::string fingerprint_of(const Run& request, const std::string& hashes) {
  std::string all = request.model + "\n" + hashes + "\n" + request.study;
  for (const auto& [key, value] : request.params) all += "\n" + key + "=" + value;
  return protocol::short_hash(all + text_of(request.subject));
}

}  // namespace helix::engine
