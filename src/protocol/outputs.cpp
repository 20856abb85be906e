#include "protocol/outputs.h"

#include <algorithm>
#include <iterator>

namespace helix::protocol {

int default_digits(std::string_view unit) {
  if (unit == "fraction") return 2;
  constexpr std::string_view kCounts[] = {"tokens", "rows",       "row",   "positions",  "position",
                                          "heads",  "layers",     "pairs", "dimensions", "claims",
                                          "checks", "components", "models"};
  return std::ranges::find(kCounts, unit) != std::end(kCounts) ? 0 : 4;
}

void OutputSchemaWriter::add(const Out& f, Role role, bool words) {
  out_.push_back({f.name,
                  f.unit,
                  "",
                  {f.axes.begin(), f.axes.end()},
                  words,
                  f.type,
                  role,
                  f.shown_digits < 0 ? default_digits(f.unit) : f.shown_digits,
                  f.leads,
                  f.about,
                  f.short_name});
}

void OutputWriter::operator()(const Out& f, Quantity& q) { out_.scalars.push_back({f.name, q.value, f.unit, q.note}); }
void OutputWriter::operator()(const Out& f, Grid& g) {
  // An array that was never filled has no entries along any of its axes.
  const std::vector<std::size_t> shape = g.shape.empty() ? std::vector<std::size_t>(f.axes.size(), 0) : g.shape;
  out_.arrays.push_back({f.name, shape, {f.axes.begin(), f.axes.end()}, f.unit, g.data, g.first, f.type});
  if (f.type == NumberType::f32) round_to_f32(out_.arrays.back().data);
}
void OutputWriter::operator()(const Out& f, Texts& t) { out_.words.push_back({f.name, *f.axes.begin(), t}); }

void OutputReader::operator()(const Out& f, Quantity& q) {
  if (const Scalar* s = from_.scalar(f.name)) q = {s->value, s->note};
}
void OutputReader::operator()(const Out& f, Grid& g) {
  const Array* a = from_.array(f.name);
  if (a && a->shape.size() == f.axes.size()) g = {a->shape, a->data, a->first};
}
void OutputReader::operator()(const Out& f, Texts& t) {
  if (const Words* w = from_.words_of(f.name)) t = w->data;
}

}  // namespace helix::protocol
