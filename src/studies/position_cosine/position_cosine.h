// How similar positions are: the cosine of every two rows of wpe (or of the sinusoidal encoding), and its mean over all
// pairs with the same distance. A. Yedidia, 2023: claim H7; A. Bortolato et al., 2025: claims F7 and F10.
#pragma once

#include "studies/position_fields.h"
#include "studies/study.h"

namespace helix::studies::position_cosine {

inline constexpr Words say{"position_cosine"};

/// Least excess of the mean cosine of near pairs over far ones, and of neighbours over all pairs, that counts.
inline constexpr double kPushed = 0.05;

/// What the vectors are: positions, a token at each position, or both added as the model adds them.
enum class Of { positions, tokens, sum };

struct Params {
  Of of = Of::positions;
  PositionSource source = PositionSource::learned;
  double base = 10000;
  int first = 0, last = 1023;
  bool centre = false;
  int token = 2000;

  static void fields(ParamVisitor& v, Params& p) {
    v(Field{"of"}, p.of, OneOf{{"positions", "tokens", "sum"}});
    position_source_fields(v, p.source, p.base);
    row_range_fields(v, p.first, p.last);
    v(Field{"centre"}, p.centre);
    v(Field{"token", "token", "", true}, p.token, Whole{0, 999'999, Bound::last_token});
  }
};

struct Output : OutputBase {
  protocol::Quantity adjacent_mean, adjacent_spread, shuffled_mean, period, trough, near_minus_far,
      near_minus_far_tokens, walks_rising;
  protocol::Grid cosine, by_lag, walk_adjacent, walk_lag, walk_least, walk_most;

  static void fields(protocol::OutputVisitor& v, Output& o) {
    using protocol::Out;
    v(Out{"adjacent_mean", "cosine"}.headline(), o.adjacent_mean);
    v(Out{"adjacent_spread", "cosine"}, o.adjacent_spread);
    v(Out{"shuffled_mean", "cosine"}, o.shuffled_mean);
    v(Out{"period", "positions"}, o.period);
    v(Out{"trough", "positions"}, o.trough);
    v(Out{"near_minus_far", "cosine"}, o.near_minus_far);
    v(Out{"near_minus_far_tokens", "cosine"}, o.near_minus_far_tokens);
    v(Out{"cosine", "", {"position", "other"}}.f32(), o.cosine);
    v(Out{"by_lag", "", {"lag"}}, o.by_lag);
    v(Out{"walks_rising", "walks"}, o.walks_rising);
    v(Out{"walk_adjacent", "cosine", {"seed"}}, o.walk_adjacent);
    v(Out{"walk_lag", "positions", {"place"}}.key(), o.walk_lag);
    v(Out{"walk_least", "cosine", {"place"}}, o.walk_least);
    v(Out{"walk_most", "cosine", {"place"}}, o.walk_most);
  }
};

inline StudySchema describe() {
  StudySchema schema;
  schema.id = "position_cosine";
  schema.group = "Positions";
  schema.reads = Reads::positions;
  schema.presets = {{"default", ""},
                    {"inner", "first=1&last=1022"},
                    {"centred", "centre=true"},
                    {"sinusoidal", "source=sinusoidal"},
                    {"tokens", "of=tokens"},
                    {"sum", "of=sum"}};
  schema.claims = {
      {"H7", {}, "positions", std::string(kGpt2Small), "", {"first=0|1&last=1022|1023&centre=0|1", "period"}},
      {"F7", {}, "", "", "source=sinusoidal"},
      {"F10",
       {},
       "cosine",
       std::string(kGpt2Small),
       "of=sum",
       {"source=learned|sinusoidal&centre=0|1", "near_minus_far"}}};
  schema.leads = {{"helix", "study=position_helix"}, {"sinusoid", "study=sinusoid"}};
  return with_fields<Params, Output>(std::move(schema));
}

}  // namespace helix::studies::position_cosine
