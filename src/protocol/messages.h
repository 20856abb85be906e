// The messages between the page and the engine. Plain data; one JSON object a message, plus one block of bytes.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "base/byte_range.h"
#include "base/schema.h"
#include "base/subject.h"
#include "protocol/result.h"

namespace helix::protocol {

// ---- page to engine

/// A weights file the page can read. `bytes` 0: not known. The engine asks for what it needs with Need.
struct Open {
  std::string model, sha256, config_json;
  std::uint64_t bytes = 0;
};
/// Part of a weights file, at `offset`; the bytes travel beside the message.
struct Bytes {
  std::string model;
  std::uint64_t offset = 0;
};
/// The source has `total` bytes; `ended`: all of them were sent.
struct SourceSize {
  std::string model;
  std::uint64_t total = 0;
  bool ended = false;
};
/// The page could not read the source, or has no model of this name: every job that needs it fails with this sentence.
struct SourceFailed {
  std::string model, sentence;
};
/// Discard what was read of a source: it changed between two reads, or its bytes were not a weights file.
struct Close {
  std::string model;
};
/// A file that lies beside the weights (vocab.json, merges.txt, emergence.safetensors), whole, its bytes beside the
/// message; or, with a `sentence`, why it is unavailable.
struct File {
  std::string model, name, sentence;
};
/// A newer run of the same slot cancels the older one.
struct Run {
  std::uint32_t job = 0;
  std::string slot, study, model;
  ParamValues params;
  Subject subject{};
};
struct Cancel {
  std::uint32_t job = 0;
};
using Request = std::variant<Open, Bytes, SourceSize, SourceFailed, Close, File, Run, Cancel>;

// ---- engine to page

struct Hello {
  std::string version, kernels, schema_hash;
};
/// Please read these bytes of the source. `have` and `want` count bytes, for the progress line. With `afresh`, `ranges`
/// is all that is missing: earlier requests no longer count.
struct Need {
  std::string model;
  std::vector<ByteRange> ranges;
  std::uint64_t have = 0, want = 0;
  bool afresh = false;
};
/// Please send these files that lie beside the weights.
struct NeedFiles {
  std::string model;
  std::vector<std::string> names;
};
/// A run names a model that was not opened: please open it, or say with SourceFailed why it is unavailable.
struct NeedModel {
  std::string model;
};
/// The header of a weights file was read: what the model is.
struct Opened {
  std::string model, precision;  // precision: "F32", "F16", …; "q8" where it runs in 8 bits, whatever is asked for
  std::uint64_t file_bytes = 0;
  std::int64_t n_layer = 0, n_head = 0, d_model = 0, n_ctx = 0, n_vocab = 0;
  bool has_positions = false;
  std::vector<std::string> missing;  // what predictions would need beyond this file
};
struct Working {
  std::uint32_t job = 0;
  double done = 0, total = 0;
  std::string phase, unit;
};
struct Finished {
  std::uint32_t job = 0;
  std::string slot;
  EncodedResult result;  // the header inside the message, the numbers beside it
};
struct Failure {
  std::uint32_t job = 0;  // 0: not about one job
  std::string where, sentence;
  bool retry = false;  // trying again may help
  Remedy remedy = Remedy::none;
};
using Reply = std::variant<Hello, Need, NeedFiles, NeedModel, Opened, Working, Finished, Failure>;

/// "keep_last", "whole_model"; "" where there is none.
std::string_view remedy_name(Remedy remedy);

std::string to_text(const Request& request);
std::string to_text(const Reply& reply);
Expected<Request> parse_request(std::string_view text);
/// `data` is what travelled beside the message.
Expected<Reply> parse_reply(std::string_view text, const double* data = nullptr, std::size_t count = 0);

/// A hash of all field lists: modules whose hashes differ must not exchange messages.
std::string schema_hash(const std::vector<StudySchema>& schemas);
/// FNV-1a, as 16 hexadecimal digits: identifies a subject; not a cryptographic hash.
std::string short_hash(std::string_view text);

}  // namespace helix::protocol
