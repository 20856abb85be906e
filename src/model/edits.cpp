#include "model/edits.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <utility>

#include "base/text.h"

namespace helix::model {
namespace {

enum class Part { layer, layers, head, whole, real, sinusoidal, after, three };

struct Form {
  EditKind kind;
  std::string_view name, written;
  std::vector<Part> parts;
  std::size_t optional = 0;  // that many of the last parts may be left out
};

const std::vector<Form>& forms() {
  using enum Part;
  static const std::vector<Form> all{
      {EditKind::group_positions, "group_positions", "group_positions:g", {whole}},
      {EditKind::permute_positions, "permute_positions", "permute_positions:seed[:3]", {whole, three}, 1},
      {EditKind::shift_positions, "shift_positions", "shift_positions:K", {whole}},
      {EditKind::zero_positions, "zero_positions", "zero_positions", {}},
      {EditKind::replace_positions, "replace_positions", "replace_positions:sinusoidal[:base]", {sinusoidal, real}, 1},
      {EditKind::rank_positions, "rank_positions", "rank_positions:k", {whole}},
      {EditKind::zero_tokens, "zero_tokens", "zero_tokens", {}},
      {EditKind::no_mask, "no_mask", "no_mask", {}},
      {EditKind::group_residual, "group_residual", "group_residual:L:g", {layer, whole}},
      {EditKind::mask_previous, "mask_previous", "mask_previous:layers:n[:after]", {layers, whole, after}, 1},
      {EditKind::set_score, "set_score", "set_score:L.H:query:key:value", {head, whole, whole, real}},
      {EditKind::move_attention, "move_attention", "move_attention:L.H:query:from:to", {head, whole, whole, whole}},
      {EditKind::scale_head, "scale_head", "scale_head:L.H:factor", {head, real}},
      {EditKind::scale_attn, "scale_attn", "scale_attn:L:factor", {layer, real}},
      {EditKind::ablate_head, "ablate_head", "ablate_head:L.H", {head}}};
  return all;
}

std::optional<std::size_t> whole_number(std::string_view text) {
  const auto number = parse_int(text);
  if (!number || *number < 0) return std::nullopt;
  return static_cast<std::size_t>(*number);
}

/// "2.7" with a dot, "0-3" with a dash: two numbers; false when it is not that.
bool read_pair(std::string_view text, char between, std::size_t& a, std::size_t& b) {
  const std::size_t at = text.find(between);
  if (at == std::string_view::npos) return false;
  const auto first = whole_number(text.substr(0, at)), second = whole_number(text.substr(at + 1));
  if (!first || !second) return false;
  a = *first, b = *second;
  return true;
}

bool read_layers(std::string_view text, ParsedEdit& edit) {
  if (const auto one = whole_number(text)) return edit.first_layer = edit.last_layer = *one, true;
  return read_pair(text, '-', edit.first_layer, edit.last_layer) && edit.first_layer <= edit.last_layer;
}

bool read_part(Part part, std::string_view text, ParsedEdit& edit) {
  switch (part) {
    case Part::layer: {
      const auto layer = whole_number(text);
      if (layer) edit.first_layer = edit.last_layer = *layer;
      return layer.has_value();
    }
    case Part::layers:
      return read_layers(text, edit);
    case Part::head: {
      const bool read = read_pair(text, '.', edit.first_layer, edit.head);
      edit.last_layer = edit.first_layer;
      return read;
    }
    case Part::whole: {
      const auto number = whole_number(text);
      if (number) edit.numbers.push_back(static_cast<double>(*number));
      return number.has_value();
    }
    case Part::real: {
      const auto number = text == "-inf" ? -std::numeric_limits<double>::infinity() : parse_real(text);
      if (number) edit.numbers.push_back(*number);
      return number.has_value();
    }
    case Part::sinusoidal:
      return text == "sinusoidal";
    case Part::after:
      edit.flag = true;
      return text == "after";
    case Part::three:
      edit.flag = true;
      return text == "3";
  }
  return false;
}

/// What the numbers must be beyond their form.
bool sensible(const ParsedEdit& edit) {
  const auto positive = [&](std::size_t i) { return edit.numbers[i] >= 1; };
  switch (edit.kind) {
    case EditKind::group_positions:
    case EditKind::rank_positions:
    case EditKind::group_residual:
    case EditKind::mask_previous:
      return positive(0);
    case EditKind::replace_positions:
      return edit.numbers.empty() || (edit.numbers[0] > 1 && edit.numbers[0] <= 1e9);
    default:
      return true;
  }
}

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

/// Rows 1 .. size, size+1 .. 2·size, … become their mean, the last ones that of as many as there are; row 0 is kept.
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

Expected<void> check(const std::string& spec, const ParsedEdit& edit, const checkpoint::Config& config,
                     std::size_t n_tokens) {
  const auto refuse = [&](std::string why) {
    return Error{"The edit " + in_quotes(spec) + " " + std::move(why) + "."};
  };
  if (edit.last_layer >= config.n_layer)
    return refuse("names layer " + std::to_string(edit.last_layer) + ", but the last one is " +
                  std::to_string(config.n_layer - 1));
  if (edit.head >= config.n_head)
    return refuse("names head " + std::to_string(edit.head) + ", but the last one is " +
                  std::to_string(config.n_head - 1));
  const std::size_t positions = edit.kind == EditKind::set_score ? 2 : edit.kind == EditKind::move_attention ? 3 : 0;
  for (std::size_t i = 0; i < positions; ++i)
    if (edit.numbers[i] >= static_cast<double>(n_tokens))
      return refuse("names position " + to_text(edit.numbers[i]) + ", but the last token is at " +
                    std::to_string(n_tokens - 1));
  return {};
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
      break;  // the table of positions is the caller's
  }
}

bool in_a_layer(EditKind kind) { return kind >= EditKind::group_residual; }

}  // namespace

std::vector<std::string> edit_forms() {
  std::vector<std::string> written;
  for (const Form& form : forms()) written.emplace_back(form.written);
  return written;
}

Expected<ParsedEdit> parse_edit(std::string_view spec) {
  const std::vector<std::string> words = split(spec, ':');
  const auto form = std::find_if(forms().begin(), forms().end(), [&](const Form& f) { return f.name == words[0]; });
  if (form == forms().end())
    return Error{"There is no edit " + in_quotes(spec) + "; there are " + join(edit_forms(), ", ") + "."};
  const Error wrong{"The edit " + in_quotes(spec) + " has not the form " + std::string(form->written) + "."};
  const std::size_t given = words.size() - 1;
  if (given > form->parts.size() || given + form->optional < form->parts.size()) return wrong;
  ParsedEdit edit;
  edit.kind = form->kind;
  for (std::size_t i = 0; i < given; ++i)
    if (!read_part(form->parts[i], words[i + 1], edit)) return wrong;
  if (!sensible(edit)) return wrong;
  return edit;
}

bool edits_positions(EditKind kind) { return kind <= EditKind::rank_positions; }

Expected<Interventions> interventions(const std::vector<std::pair<std::string, ParsedEdit>>& edits,
                                      const checkpoint::Config& config, std::size_t n_tokens) {
  Interventions out;
  out.keys.resize(config.n_layer);
  double shifted = 0;
  for (const auto& [spec, edit] : edits) {
    if (const auto fits = check(spec, edit, config, n_tokens); !fits) return fits.error();
    if (edit.kind == EditKind::shift_positions) shifted += edit.numbers[0];
    if (const double last = shifted + static_cast<double>(n_tokens) - 1; last >= static_cast<double>(config.n_ctx))
      return Error{"The edit " + in_quotes(spec) + " puts the last token at position " + to_text(last) +
                   ", but this model's last position is " + std::to_string(config.n_ctx - 1) + "."};
    add(edit, config, out);
    if (!in_a_layer(edit.kind)) {
      out.embedding += spec + ";";
    } else {
      for (std::size_t l = edit.first_layer; l <= edit.last_layer; ++l) out.keys[l] += spec + ";";
    }
  }
  return out;
}

}  // namespace helix::model
