#include "checkpoint/emergence.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <span>
#include <utility>

#include "base/sha256.h"
#include "base/text.h"
#include "checkpoint/convert.h"
#include "checkpoint/weights.h"

namespace helix::checkpoint {
namespace {

constexpr std::size_t kMostMoments = 10'000, kLeastRank = 3;

std::string file_of(const std::string& source) {
  return "The record of training of " + in_quotes(source) + " (" + kEmergenceFile + ")";
}

using Figure = std::pair<const char*, std::vector<double> Emergence::*>;
constexpr std::array<Figure, 7> kFigures{{{"tokens", &Emergence::tokens},
                                          {"loss", &Emergence::loss},
                                          {"held_out", &Emergence::held_out},
                                          {"previous", &Emergence::previous},
                                          {"induction", &Emergence::induction},
                                          {"explained_first3", &Emergence::explained_first3},
                                          {"adjacent_cosine", &Emergence::adjacent_cosine}}};

/// The numbers of one tensor, which must have this shape; an extent of 0 may be anything, and is filled in.
Expected<std::vector<float>> numbers(const WeightFile& file, const char* name, std::span<std::size_t* const> shape) {
  const auto tensor = file.tensor(name);
  if (!tensor) return tensor.error();
  const auto& found = tensor->info->shape;
  bool fits = found.size() == shape.size();
  std::size_t count = 1;
  for (std::size_t i = 0; fits && i < shape.size(); ++i) {
    if (*shape[i] == 0) *shape[i] = static_cast<std::size_t>(found[i]);
    fits = *shape[i] == found[i] && *shape[i] > 0;
    count *= *shape[i];
  }
  if (!fits) return Error{file_of(file.name()) + " holds " + in_quotes(name) + " in a shape that does not fit."};
  std::vector<float> out(count);
  if (const auto read = to_f32(*tensor, out); !read) return read.error();
  if (!std::ranges::all_of(out, [](float x) { return std::isfinite(x); }))
    return Error{file_of(file.name()) + " holds a number that is not finite, in " + in_quotes(name) + "."};
  return out;
}

}  // namespace

Expected<Emergence> Emergence::read(std::string_view bytes, const std::string& source) {
  WeightFile file(source, bytes.size());
  std::vector<std::string> names{"scores", "axes", "mean", "singular_values"};
  for (const auto& [name, member] : kFigures) names.emplace_back(name);
  file.want(names);
  if (const auto fed = file.feed(0, std::as_bytes(std::span(bytes))); !fed)
    return Error{file_of(source) + " cannot be read: " + fed.error().sentence};
  if (const auto whole = file.finish(bytes.size()); !whole)
    return Error{file_of(source) + " cannot be read: " + whole.error().sentence};

  Emergence out;
  const auto fill = [&](std::vector<float>& into, const char* name, std::initializer_list<std::size_t*> shape) {
    auto read = numbers(file, name, std::span(shape.begin(), shape.size()));
    if (read) into = std::move(*read);
    return read.ok() ? Expected<void>() : read.error();
  };
  if (auto ok = fill(out.scores, "scores", {&out.moments, &out.positions, &out.rank}); !ok) return ok.error();
  if (auto ok = fill(out.axes, "axes", {&out.moments, &out.rank, &out.d_model}); !ok) return ok.error();
  if (file.header()->find("mean"))
    if (auto ok = fill(out.mean, "mean", {&out.moments, &out.d_model}); !ok) return ok.error();
  if (auto ok = fill(out.singular_values, "singular_values", {&out.moments, &out.components}); !ok) return ok.error();
  for (const auto& [name, member] : kFigures) {
    std::vector<float> read;
    if (auto ok = fill(read, name, {&out.moments}); !ok) return ok.error();
    (out.*member).assign(read.begin(), read.end());
  }
  if (out.moments > kMostMoments || out.rank < kLeastRank || out.components < kLeastRank)
    return Error{file_of(source) + " has " + std::to_string(out.moments) + " moments and " + std::to_string(out.rank) +
                 " components each; it takes at most " + std::to_string(kMostMoments) + " and at least " +
                 std::to_string(kLeastRank) + "."};
  if (!std::ranges::is_sorted(out.tokens) || out.tokens.front() < 0)
    return Error{file_of(source) + " does not go forward in time."};
  out.precision = precision_of(*file.tensor("scores"));
  if (const std::string axes = precision_of(*file.tensor("axes")); axes != out.precision)
    out.precision += " and " + axes;
  out.sha256 = Sha256::hex_of(std::as_bytes(std::span(bytes)));
  return out;
}

}  // namespace helix::checkpoint
