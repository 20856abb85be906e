#include "studies/averaged_positions/claims.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "studies/judged.h"

namespace helix::studies::averaged_positions {
namespace {

using protocol::Claim;

constexpr double kNone = 50, kSome = 100;  // the group sizes at which the text sees performance break down
constexpr double kSure = 0.99, kSame = 0.9, kHalf = 0.5;

struct Place {
  std::size_t layer, head;
};
constexpr Place kPreviousHeads[] = {{2, 2}, {3, 3}, {4, 11}};

std::string name_of(const Place& place) { return std::to_string(place.layer) + "." + std::to_string(place.head); }

bool has(const Output& out, const Place& place) {
  return place.layer < out.previous_none.rows() && place.head < out.previous_none.cols();
}

std::size_t group_of(const Output& out, double size) {
  return static_cast<std::size_t>(std::ranges::find(out.size.data, size) - out.size.data.begin());
}

Claim unjudged(const char* id, const Output& out, const std::string& why) {
  return {id, std::nullopt, std::nullopt, {}, out.convention + "; " + why};
}

Claim breaks_down(const Output& out) {
  const bool asked = group_of(out, 20) < out.groups() && group_of(out, kNone) < out.groups();
  if (!asked || !(out.size.data.back() >= kSome))
    return unjudged("T1", out, "needs groups of 20, 50 and 100 or more tokens");
  const double here = out.breaks_at.value;
  if (!std::isfinite(here)) return unjudged("T1", out, out.breaks_at.note);
  return {"T1",
          here,
          here >= kNone && here <= kSome,
          {},
          out.convention + "; breaking down: less than " + percent_text(kBroken, 0) +
              " of what positions take off the loss is left; holds if that begins at 50 to 100 tokens"};
}

Claim repeats_words(const Output& out, const std::string& likeliest) {
  const double here = std::min(out.answer_own.value, out.answer_group.value);
  return {"T2",
          here_of(here),
          judged(here, here >= kSure && likeliest.find("apple") != std::string::npos),
          {},
          out.convention + "; the smaller of both probabilities, of “" + likeliest +
              "”, after a prompt of our own: that of the text was not published; holds from " + percent_text(kSure, 0) +
              " on"};
}

Claim heads_unaffected(const Output& out, double size) {
  const std::size_t group = group_of(out, size), heads = out.previous_none.data.size();
  double least = HUGE_VAL;
  for (const Place& place : kPreviousHeads) {
    if (!has(out, place)) return unjudged("T3", out, "this model has no head " + name_of(place));
    const std::size_t at = place.layer * out.previous_none.cols() + place.head;
    const double own = out.previous.data[at];
    if (!(own > 0)) return unjudged("T3", out, "head " + name_of(place) + " never attends to the previous token");
    least = std::min(least, out.previous.data[group * heads + at] / own);
  }
  return {"T3",
          here_of(least),
          judged(least, least >= kSame),
          {},
          out.convention +
              "; attention to the previous token, over what it is with each token at its own position, the "
              "least of the three heads; holds from " +
              percent_text(kSame, 0) + " on"};
}

Claim hidden(const Output& out) {
  const double here = out.masked_previous.value / out.others_previous.value;
  if (!std::isfinite(here)) return unjudged("T4", out, "the head never attends to the previous token");
  return {"T4",
          here,
          here < kHalf,
          {},
          out.convention +
              "; attention to the previous token where it was masked in all earlier layers, over that of the "
              "other tokens; holds below one half"};
}

Claim extended(const char* id, const Output& out, bool breaks) {
  const double here = out.group_previous.value / out.own_previous.value;
  if (!std::isfinite(here)) return unjudged(id, out, "the head never attends to the previous token");
  return {id,
          here,
          breaks ? here <= kHalf : here >= kSame,
          {},
          out.convention +
              "; attention to the previous token, over what it is with each token at its own position; holds " +
              (breaks ? "up to one half" : "from " + percent_text(kSame, 0) + " on")};
}

}  // namespace

std::vector<Claim> claims(const Params& params, const Output& out, const std::string& likeliest, bool repeats) {
  std::vector<Claim> all;
  if (!out.edits.empty()) return all;
  const auto asked = [&](int layer, int head) { return params.layer == layer && params.head == head; };
  const auto about = [&](const char* id, const Place& place, auto judge) {
    all.push_back(has(out, place) ? judge() : unjudged(id, out, "this model has no head " + name_of(place)));
  };
  if (params.averaged == Averaged::extended) {
    if (params.group != 10) return all;
    if (params.before == 2 && asked(2, 2)) about("T14", {2, 2}, [&] { return extended("T14", out, true); });
    if (params.before == 4 && asked(4, 11))
      about("T14-later", {4, 11}, [&] { return extended("T14-later", out, false); });
    return all;
  }
  all.push_back(breaks_down(out));
  if (params.group == 10 && repeats) all.push_back(repeats_words(out, likeliest));
  if (out.group.value == 10) all.push_back(heads_unaffected(out, 10));
  if (params.every == 5 && asked(4, 11)) about("T4", {4, 11}, [&] { return hidden(out); });
  return all;
}

}  // namespace helix::studies::averaged_positions
