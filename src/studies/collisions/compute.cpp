// Reads both tables, finds the requested token, and searches.
#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text.h"
#include "studies/collisions/collisions.h"
#include "studies/collisions/search.h"
#include "studies/context_compute.h"

namespace helix::studies::collisions {
namespace {

constexpr const char *kTokens = "wte.weight", *kPositions = "wpe.weight";
constexpr double kNearer = 0.9;  // a sum counts as nearer below this fraction of the distance at the same position

std::vector<ModelNeeds> needs(const ParamValues&, const Known&) {
  return {{"", {kTokens, kPositions}}, {"", {}, {}, Reads::tokens, true}};
}

/// Rows of a table; an error if there are fewer than two.
Task<Expected<Table>> table_of(const char* name, Context* context) {
  auto table = co_await context->table(name, "tokens and positions to add");
  if (!table) co_return table.error();
  if (table->rows() < 2 || table->cols() == 0)
    co_return Error{"The tensor " + in_quotes(name) + " is no table of at least two rows."};
  co_return std::move(*table);
}

std::string text_of(const Inputs& inputs, std::size_t id) { return token_text(inputs, static_cast<std::int32_t>(id)); }

/// The token and position that the parameters request. An index that does not exist is replaced by the last one, with a
/// note; a word that is not a single token is an error.
Expected<Asked> asked_of(const Params& p, Context& context, std::size_t tokens, std::size_t positions) {
  const Inputs& inputs = context.inputs();
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
    context.note("There is no " + std::string(what) + " " + std::to_string(index) + "; the last one, " +
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

Task<Expected<Output>> compute(Params params, Context& context) {
  const auto tokens = co_await table_of(kTokens, &context);
  if (!tokens) co_return tokens.error();
  const auto table = co_await table_of(kPositions, &context);
  if (!table) co_return table.error();
  context.origin().precision = tokens->precision;
  if (tokens->cols() != table->cols())
    co_return Error{"A token has " + std::to_string(tokens->cols()) + " numbers and a position " +
                    std::to_string(table->cols()) + ": they cannot be added."};
  const auto asked = asked_of(params, context, tokens->rows(), table->rows());
  if (!asked) co_return asked.error();
  co_await pause_point();
  auto positions = std::make_shared<Matrix<double>>(table->rows(), table->cols());
  if (const auto ok = table->blocks.read(0, positions->view()); !ok) co_return ok.error();
  const auto words = std::make_shared<const geometry::RowBlocks>(tokens->blocks);
  const auto found = co_await search(words, std::move(positions), *asked);
  if (!found) co_return found.error();
  Output out;
  add_numbers(out, *found, *asked, context.inputs());
  out.convention = "Euclidean distances between rows of wte plus rows of wpe, before any LayerNorm";
  if (!context.inputs().tokenizer) context.note(sentences({say("note.no_texts"), context.inputs().no_tokenizer}));
  out.claims = claims(out, *asked);
  co_return std::move(out);
}

}  // namespace

ComputeStudy compute_study() { return study_of<describe, compute>(needs); }

}  // namespace helix::studies::collisions
