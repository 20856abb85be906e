#include "model/edits.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace helix::model {
namespace {

using Rows = MatrixView<float>;

/// Calls `change(row, query)` for the queries of a chunk that lie at `position`.
template <class Change>
void at_query(const Chunk& chunk, std::size_t position, Change change) {
  if (position >= chunk.first && position < chunk.first + chunk.rows.rows)
    change(chunk.rows.row(position - chunk.first));
}

void scale(Rows rows, std::size_t from, std::size_t count, float factor) {
  for (std::size_t i = 0; i < rows.rows; ++i)
    for (float& value : rows.row(i).subspan(from, count)) value *= factor;
}

Tap scale_head(const ParsedEdit& edit, std::size_t d_head, float factor) {
  return {{HookKind::z, edit.first_layer},
          [=, head = edit.head](const Chunk& chunk) { scale(chunk.rows, head * d_head, d_head, factor); }};
}

/// Rows 1 .. size, size+1 .. 2·size, … become the mean of their group, of which the last may be shorter; row 0 is kept.
void average_groups(Rows rows, std::size_t size) {
  for (std::size_t first = 1; first < rows.rows; first += std::min(size, rows.rows - first)) {
    const std::size_t count = std::min(size, rows.rows - first);
    for (std::size_t j = 0; j < rows.cols; ++j) {
      double sum = 0;
      for (std::size_t i = 0; i < count; ++i) sum += static_cast<double>(rows(first + i, j));
      for (std::size_t i = 0; i < count; ++i) rows(first + i, j) = static_cast<float>(sum / static_cast<double>(count));
    }
  }
}

Tap mask_previous(const ParsedEdit& edit, std::size_t layer) {
  const auto step = static_cast<std::size_t>(edit.numbers[0]);
  const float put = edit.flag ? 0.0f : -std::numeric_limits<float>::infinity();
  return {{edit.flag ? HookKind::pattern : HookKind::scores, layer}, [=](const Chunk& chunk) {
            for (std::size_t query = step; query < chunk.first + chunk.rows.rows; query += step)
              at_query(chunk, query, [&](std::span<float> row) { row[query - 1] = put; });
          }};
}

Tap set_score(const ParsedEdit& edit) {
  const auto query = static_cast<std::size_t>(edit.numbers[0]), key = static_cast<std::size_t>(edit.numbers[1]);
  const auto value = static_cast<float>(edit.numbers[2]);
  return {{HookKind::scores, edit.first_layer},
          [=](const Chunk& chunk) { at_query(chunk, query, [&](std::span<float> row) { row[key] = value; }); },
          edit.head};
}

Tap move_attention(const ParsedEdit& edit) {
  const auto query = static_cast<std::size_t>(edit.numbers[0]);
  const auto from = static_cast<std::size_t>(edit.numbers[1]), to = static_cast<std::size_t>(edit.numbers[2]);
  return {{HookKind::scores_raw, edit.first_layer},
          [=](const Chunk& chunk) {
            at_query(chunk, query, [&](std::span<float> row) { row[to] = row[from], row[from] = 0; });
          },
          edit.head};
}

/// Adds what one edit does, and in which layers.
void add(const ParsedEdit& edit, const checkpoint::Config& config, Interventions& out) {
  const std::size_t layer = edit.first_layer;
  switch (edit.kind) {
    case EditKind::zero_tokens:
      out.taps.push_back({{HookKind::embed}, [](const Chunk& chunk) { scale(chunk.rows, 0, chunk.rows.cols, 0); }});
      break;
    case EditKind::no_mask:
      out.causal = false;
      break;
    case EditKind::group_residual:
      out.looks_ahead = true;
      out.taps.push_back({{HookKind::resid_pre, layer}, [size = edit.numbers[0]](const Chunk& chunk) {
                            average_groups(chunk.rows, static_cast<std::size_t>(std::min(size, 1e9)));
                          }});
      break;
    case EditKind::mask_previous:
      for (std::size_t l = layer; l <= edit.last_layer; ++l) out.taps.push_back(mask_previous(edit, l));
      break;
    case EditKind::set_score:
      out.taps.push_back(set_score(edit));
      break;
    case EditKind::move_attention:
      out.taps.push_back(move_attention(edit));
      break;
    case EditKind::scale_head:
      out.taps.push_back(scale_head(edit, config.d_head, static_cast<float>(edit.numbers[0])));
      break;
    case EditKind::ablate_head:
      out.taps.push_back(scale_head(edit, config.d_head, 0));
      break;
    case EditKind::scale_attn:
      out.taps.push_back(
          {{HookKind::attn_out, layer}, [factor = static_cast<float>(edit.numbers[0])](const Chunk& chunk) {
             scale(chunk.rows, 0, chunk.rows.cols, factor);
           }});
      break;
    default:
      break;  // the caller edits the table of positions
  }
}

}  // namespace

Expected<Interventions> interventions(const std::vector<std::pair<std::string, ParsedEdit>>& edits,
                                      const checkpoint::Config& config, std::size_t n_tokens) {
  Interventions out;
  const EditRoom room{config.n_layer, config.n_head, config.n_ctx, n_tokens};
  double shifted = 0;
  for (const auto& [spec, edit] : edits) {
    if (const auto fits = check_edit(spec, edit, room, shifted); !fits) return fits.error();
    if (edit.kind == EditKind::shift_positions) shifted += edit.numbers[0];
    const std::size_t before = out.taps.size();
    add(edit, config, out);
    for (std::size_t i = before; i < out.taps.size(); ++i) out.taps[i].key = spec;
    if (out.taps.size() == before) out.embedding += spec + ";";
  }
  return out;
}

}  // namespace helix::model
