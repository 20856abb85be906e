// Reads both tables, finds the requested token, and searches.
#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text.h"
#include "base/utf8.h"
#include "checkpoint/convert.h"
#include "studies/collisions/collisions.h"
#include "studies/collisions/search.h"
#include "studies/matrices_compute.h"

namespace helix::studies::collisions {
namespace {

constexpr const char *kTokens = "wte.weight", *kPositions = "wpe.weight";
constexpr double kNearer = 0.9;  // a sum counts as nearer below this fraction of the distance at the same position

std::vector<ModelNeeds> needs(const ParamValues&, const Known&) {
  return {{"", {kTokens, kPositions}}, {"", {}, {}, Reads::tokens, true}};
}

/// Rows of a table as doubles, read on demand; an error if there are fewer than two.
Expected<std::shared_ptr<const geometry::RowBlocks>> table_of(const char* name, const Inputs& inputs) {
  const auto tensor = inputs.weights->tensor(name);
  if (!tensor) return tensor.error();
  if (tensor->info->shape.size() != 2 || tensor->info->shape[0] < 2 || tensor->info->shape[1] == 0)
    return Error{"The tensor " + in_quotes(name) + " is no table of at least two rows."};
  const auto n = static_cast<std::size_t>(tensor->info->shape[0]), d = static_cast<std::size_t>(tensor->info->shape[1]);
  const auto read = [tensor = *tensor, weights = inputs.weights](std::size_t first,
                                                                 MatrixView<double> into) -> Expected<void> {
    const auto rows = checkpoint::to_finite_f32(checkpoint::rows_of(tensor, first, into.rows));
    if (!rows) return rows.error();
    for (std::size_t i = 0; i < into.rows; ++i) std::ranges::copy(rows->row(i), into.row(i).begin());
    return {};
  };
  return std::make_shared<const geometry::RowBlocks>(geometry::RowBlocks{n, d, read});
}

std::string text_of(const Inputs& inputs, std::size_t id) {
  if (!inputs.tokenizer) return "token " + std::to_string(id);
  return shown_bytes(inputs.tokenizer->bytes(static_cast<std::int32_t>(id)));
}

/// The token and position that the parameters request. An index that does not exist is replaced by the last one, with a
/// note; a word that is not a single token is an error.
Expected<Asked> asked_of(const Params& p, const Inputs& inputs, std::size_t tokens, std::size_t positions,
                         std::vector<std::string>& notes) {
  Asked asked{static_cast<std::size_t>(p.token), static_cast<std::size_t>(p.position),
              static_cast<std::size_t>(p.count)};
  if (!p.word.empty()) {
    if (!inputs.tokenizer)
      return Error{"The token cannot be found by its text, because there is no vocabulary. " + inputs.no_tokenizer};
    const auto ids = inputs.tokenizer->encode(p.word);
    if (ids.size() != 1)
      return Error{"The text " + in_quotes(p.word) + " is " + std::to_string(ids.size()) +
                   " tokens, and one is needed; most words are one token with a space in front."};
    asked.token = static_cast<std::size_t>(ids.front());
  }
  const auto within = [&](std::size_t& index, std::size_t count, const char* what) {
    if (index < count) return;
    notes.push_back("There is no " + std::string(what) + " " + std::to_string(index) + "; the last one, " +
                    std::to_string(count - 1) + ", is taken.");
    index = count - 1;
  };
  within(asked.token, tokens, "token"), within(asked.position, positions, "position");
  return asked;
}

void add_numbers(Output& out, const Found& found, const Asked& asked, const Inputs& inputs) {
  for (const Near& near : found.nearest) {
    out.nearest_token.data.push_back(static_cast<double>(near.token));
    out.nearest_position.data.push_back(static_cast<double>(near.position));
    out.distance.data.push_back(near.distance);
    out.token_distance.data.push_back(near.token_distance);
    out.position_distance.data.push_back(near.position_distance);
    out.text.push_back(text_of(inputs, near.token));
  }
  for (protocol::Grid* grid :
       {&out.nearest_token, &out.nearest_position, &out.distance, &out.token_distance, &out.position_distance})
    grid->shape = {grid->data.size()}, grid->first = 1;
  out.names = {text_of(inputs, asked.token), text_of(inputs, found.same_position.token)};
  out.token = {static_cast<double>(asked.token), "in the vocabulary"};
  out.position = {static_cast<double>(asked.position), "counted from 0"};
  const Near& first = found.nearest.front();
  out.nearest = {first.distance, "Euclidean"};
  out.orthogonal = {std::hypot(first.token_distance, first.position_distance), "√(‖Δe‖² + ‖Δp‖²)"};
  out.same_position = {found.same_position.distance, "token " + std::to_string(found.same_position.token)};
  out.same_token = {found.same_token, "Euclidean"};
  out.typical = {found.typical, "over all pairs that differ in both"};
  out.compared = {found.compared, "by a lower bound on the distance"};
}

/// Judged at the text's example only.
std::vector<protocol::Claim> claims(const Output& out, const Asked& asked) {
  if (asked.token != static_cast<std::size_t>(kCat) || asked.position != static_cast<std::size_t>(kIndex)) return {};
  const double nearest = out.nearest.value, same = out.same_position.value;
  return {{"O7",
           nearest,
           nearest >= kNearer * same,
           {},
           in_quotes(out.names[0]) + " at position " + std::to_string(asked.position) +
               "; the nearest sum that differs in both is " + number_text(nearest, 3) +
               " away, the nearest token at the same position " + number_text(same, 3) + ", a typical sum " +
               number_text(out.typical.value, 3) +
               ". Less than nine tenths of the distance at the same position would "
               "count as nearer"}};
}

Task<Expected<protocol::Result>> run(ParamValues values, Inputs inputs) {
  static const StudySchema schema = describe();
  const auto params = read_params<Params>(values);
  if (!inputs.weights) co_return Error{"No model is open, so there are no tokens and positions to add; open one."};
  const auto tokens = table_of(kTokens, inputs), table = table_of(kPositions, inputs);
  if (!tokens) co_return tokens.error();
  if (!table) co_return table.error();
  if ((*tokens)->cols != (*table)->cols)
    co_return Error{"A token has " + std::to_string((*tokens)->cols) + " numbers and a position " +
                    std::to_string((*table)->cols) + ": they cannot be added."};
  Output out;
  const auto asked = asked_of(params, inputs, (*tokens)->rows, (*table)->rows, out.notes);
  if (!asked) co_return asked.error();
  co_await pause_point();
  auto positions = std::make_shared<Matrix<double>>((*table)->rows, (*table)->cols);
  if (const auto ok = (*table)->read(0, positions->view()); !ok) co_return ok.error();
  const auto found = co_await search(*tokens, std::move(positions), *asked);
  if (!found) co_return found.error();
  add_numbers(out, *found, *asked, inputs);
  out.convention = "Euclidean distances between rows of wte plus rows of wpe, before any LayerNorm";
  if (!inputs.tokenizer) out.notes.push_back("The tokens have no texts here. " + inputs.no_tokenizer);
  protocol::Provenance provenance = inputs.provenance;
  for (const char* name : {kTokens, kPositions}) {
    const auto hash = co_await hash_tensor(inputs, name);
    if (!hash) co_return hash.error();
    provenance.tensors.push_back({name, *hash});
  }
  provenance.precision = checkpoint::precision_of(*inputs.weights->tensor(kTokens));
  out.claims = claims(out, *asked);
  co_return to_result(schema, values, provenance, out);
}

}  // namespace

ComputeStudy compute_study() { return {describe(), needs, run}; }

}  // namespace helix::studies::collisions
