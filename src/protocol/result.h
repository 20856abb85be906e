// What a study returns: named numbers with units, named arrays with axes, claims, and where it all comes from.
// Self-describing: the view, the table, the export, the command line and the page read the same value.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/schema.h"

namespace helix::protocol {

struct Scalar {
  std::string name;
  double value = std::numeric_limits<double>::quiet_NaN();
  std::string unit, note;
};

/// Row-major numbers; `axes` names each dimension of `shape`.
struct Array {
  std::string name;
  std::vector<std::size_t> shape;
  std::vector<std::string> axes;
  std::string unit;
  std::vector<double> data;
  long long first = 0;  // what the first axis starts counting at: position 1, component 1
  NumberType type =
      NumberType::f64;  // f32: every number of `data` is one of 32 bits, and travels and is written as such
};

/// Rounds to the nearest numbers of 32 bits.
void round_to_f32(std::vector<double>& numbers);

/// Texts beside numbers: the tokens of a ranking. One axis, counted like the arrays' of the same axis.
struct Words {
  std::string name, axis;
  std::vector<std::string> data;  // readable UTF-8
};

/// One token of what ran: its id and its bytes, which may be part of a character.
struct Token {
  std::int32_t id = 0;
  std::string bytes;
  bool operator==(const Token&) const = default;
};

/// What was computed here for one claim of the source texts, which the study's schema declares under this id.
struct Claim {
  std::string id;
  std::optional<double> here;
  std::optional<bool> holds;       // nothing: cannot be judged from what is loaded or shown
  std::vector<std::string> needs;  // tensors that are missing, when that is why
  std::string convention;
  bool elsewhere = false;  // the sentence is about another model than the one that was open: it is not judged
};

/// "holds", "does not hold", "shown" (nothing to judge), "about another model", "not tested" (tensors are missing).
std::string_view verdict(const Claim& claim);
inline constexpr std::string_view kElsewhere = "about another model";

/// A tensor that was read, and the SHA-256 of exactly the bytes that were used.
struct TensorHash {
  std::string name, sha256;
};

/// One of several models, and what was read of it.
struct UsedModel {
  std::string model, sha256, precision;
  std::vector<TensorHash> tensors;
};

struct Provenance {
  std::string model;      // empty: no weights were used
  std::string sha256;     // first digits of the weights file's hash; empty when it is not known
  std::string precision;  // of the weights; the arithmetic is named in `kernels`
  std::string kernels, version;
  std::vector<TensorHash> tensors;
  std::string arithmetic{"float64"};
  std::string convention{};         // how the numbers were taken: "rows 1..1023, centred"
  std::vector<UsedModel> others{};  // models that were read beside `model`
};

struct Result {
  std::string study;
  ParamValues params;
  Provenance provenance;
  std::vector<Scalar> scalars;
  std::vector<Array> arrays;
  std::vector<Words> words;
  std::vector<Token> tokens;       // what ran, in order, BOS included; empty for studies of weights
  std::vector<std::string> edits;  // the edits that were on, in order
  std::vector<Claim> claims;
  std::vector<std::string> notes;  // what was done differently from what was asked, one sentence each
  bool complete = true;            // false: a first picture, the exact result follows
  std::string fingerprint;         // hash of model, study and parameters: a view never mixes two
  bool difference = false;         // its quantities are those of one result less another's (protocol/difference)

  const Scalar* scalar(std::string_view name) const;
  const Array* array(std::string_view name) const;
  const Words* words_of(std::string_view name) const;
};

/// "rows 1..1023, centred; gpt2-small, sha256 271ad8d0ce81…, wpe.weight 29c69587e2af…, F32, float64 on wasm simd128, helixscope 0.1.0"
std::string provenance_line(const Provenance& provenance);

/// A result as it travels: a small JSON header, and the arrays as little-endian numbers one after the other. An array
/// starts at a whole float64 (`offset` counts those); float32 numbers lie two in the place of one, as bits.
struct EncodedResult {
  std::string header;
  std::vector<double> data;
};

EncodedResult encode(const Result& result, const StudySchema& schema);
/// Refuses headers that are not a result, and arrays that lie outside `data`.
Expected<Result> decode(std::string_view header, const double* data, std::size_t count);

/// The document of `run --json`: everything, arrays included (or only described, when `arrays` is false).
std::string to_json(const Result& result, const StudySchema& schema, bool arrays = true);

}  // namespace helix::protocol
