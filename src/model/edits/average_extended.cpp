#include <algorithm>
#include <string>

#include "model/edits/effect.h"

namespace helix::model::effects {
namespace {

using Rows = std::shared_ptr<const Matrix<float>>;

std::optional<std::int32_t> repeated_token(const ParsedEdit& edit, const EditedText& text) {
  return edit.numbers.size() > 1 ? static_cast<std::int32_t>(edit.numbers[1]) : text.filler;
}

Expected<std::vector<std::int32_t>> tokens(const ParsedEdit& edit, const EditedText& text) {
  if (!text.bos)
    return Error{
        "Extended positions begin with <|endoftext|>, which is not known: this model has no vocabulary with it."};
  const auto token = repeated_token(edit, text);
  if (!token) return Error{"The edit average_extended needs the id of a token: average_extended:layer:g:token."};
  return std::vector{*text.bos, *token};
}

/// The input of the layer at all positions of <|endoftext|> and a repeated token, without edits.
Task<Expected<Rows>> extended(std::shared_ptr<Network> network, std::size_t layer, std::vector<std::int32_t> two) {
  const std::string name = "extended positions before " + std::to_string(layer) + " of " + std::to_string(two[0]) +
                           " and " + std::to_string(two[1]);
  if (auto kept = network->kept().find(name)) co_return kept;
  Asked asked;
  asked.tokens.assign(network->config().n_ctx, two[1]);
  asked.tokens[0] = two[0];
  asked.layers = layer;
  const auto session = std::make_shared<Session>();
  if (const auto ran = co_await forward(network, session, std::move(asked)); !ran) co_return ran.error();
  const Rows rows = std::make_shared<const Matrix<float>>(std::move(session->stages[layer].resid_pre));
  network->kept().keep(name, rows);
  co_return rows;
}

/// The mean of each row's group less the row; row 0 is a group of its own, and the last one may be shorter.
Matrix<float> to_means(const Matrix<float>& rows, std::size_t size) {
  Matrix<float> out(rows.rows, rows.cols);
  for (std::size_t first = 1; first < rows.rows; first += std::min(size, rows.rows - first)) {
    const std::size_t count = std::min(size, rows.rows - first);
    for (std::size_t j = 0; j < rows.cols; ++j) {
      double sum = 0;
      for (std::size_t i = 0; i < count; ++i) sum += static_cast<double>(rows(first + i, j));
      const double mean = sum / static_cast<double>(count);
      for (std::size_t i = 0; i < count; ++i)
        out(first + i, j) = static_cast<float>(mean - static_cast<double>(rows(first + i, j)));
    }
  }
  return out;
}

Task<Expected<Change>> change(ParsedEdit edit, std::shared_ptr<Network> network, EditedText text) {
  const auto two = tokens(edit, text);
  if (!two) co_return two.error();
  const auto rows = co_await extended(network, edit.first_layer, *two);
  if (!rows) co_return rows.error();
  const auto added = std::make_shared<const Matrix<float>>(to_means(**rows, edit.index(0)));
  Change out;
  out.taps.push_back({{HookKind::resid_pre, edit.first_layer}, [added](const Chunk& chunk) {
                        for (std::size_t i = 0; i < chunk.rows.rows; ++i)
                          for (std::size_t j = 0; j < chunk.rows.cols; ++j)
                            chunk.rows(i, j) += (*added)(chunk.first + i, j);
                      }});
  co_return out;
}

}  // namespace

Effect average_extended() { return FromRun{tokens, change}; }

}  // namespace helix::model::effects
