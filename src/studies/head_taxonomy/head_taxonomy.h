// Heads by where they attend: the mean of every diagonal of every head's pattern on the prompt, and its attention to the
// token itself, the first one, the same token earlier and what followed it.
// A. Yedidia, The positional embedding matrix and previous-token heads, 2023; claims T5, T6.
#pragma once

#include "studies/random_tokens.h"
#include "studies/study.h"

namespace helix::studies::head_taxonomy {

/// The first token's row and column do not count: most heads attend to it by default.
inline constexpr int kLeftOut = 1;

/// What is gathered of every head besides its diagonals.
enum class Kind { self, first, induction, duplicate, entropy };
inline constexpr std::size_t kKinds = 5;

/// What the map shows, and what stands along the axes of the scatter. The last one is read off the diagonals.
enum class Metric { previous, self, first, induction, duplicate, entropy, ratio, lags };
inline constexpr std::size_t kMetrics = 7;  // that a run measures
inline OneOf metrics() {
  return {{{"previous", "attention to the previous token"},
           {"self", "attention to the token itself"},
           {"first", "attention to the first token"},
           {"induction", "attention to what followed the same token"},
           {"duplicate", "attention to the same token earlier"},
           {"entropy", "entropy of its attention"},
           {"ratio", "second-largest diagonal over the largest"},
           {"lags", "attention to a range of distances"}}};
}

struct Params {
  int layer = -1, head = -1;
  Metric metric = Metric::previous, beside = Metric::induction;
  int min_length = 1;
  int first_lag = 1, last_lag = 4;

  template <class V, class Self>
  static void fields(V&& v, Self& p) {
    v(Field{"layer", "Layer", "Layer of the head whose profile is drawn; −1: the clearest previous-token head.",
            "layer"},
      p.layer, Whole{-1, 999, Bound::last_layer});
    v(Field{"head", "Head", "The head whose profile is drawn; −1: the clearest previous-token head.", "head"}, p.head,
      Whole{-1, 999, Bound::last_head});
    v(Field{"metric", "Heads by", "What the map shows of each head; across in the scatter."}, p.metric, metrics());
    v(Field{"beside", "Against", "Upright in the scatter."}, p.beside, metrics());
    v(Field{"min_length", "Shortest diagonal",
            "Leave out diagonals with fewer entries: the mean of a short one is mostly chance.", "entries", "", true},
      p.min_length, Whole{1, 65535, Bound::last_position});
    v(Field{"first_lag", "Distances from", "The nearest distance of the range that the metric adds up.", "tokens", "",
            true},
      p.first_lag, Whole{0, 65535, Bound::last_position});
    v(Field{"last_lag", "Distances to", "The farthest one.", "tokens", "", true}, p.last_lag,
      Whole{0, 65535, Bound::last_position});
  }
};

struct Output : OutputBase {
  protocol::Quantity previous_token_heads, heads, even_heads, smallest_ratio, even_previous;
  protocol::Grid mean_diagonal, ratio, argmax_lag, previous, even, self, first, induction, duplicate, entropy, level;
  protocol::Texts metric;

  template <class V, class Self>
  static void fields(V&& v, Self& o) {
    using protocol::Out;
    v(Out{"previous_token_heads", "heads", "heads whose largest mean diagonal is one token back"}.headline(),
      o.previous_token_heads);
    v(Out{"heads", "heads", "heads in total"}.setting(), o.heads);
    v(Out{"even_heads", "heads", "the same count, if all heads attended evenly"}, o.even_heads);
    v(Out{"smallest_ratio", "fraction", "smallest ratio of a previous-token head"}, o.smallest_ratio);
    v(Out{"even_previous", "fraction", "attention one token back, if it were even"}, o.even_previous);
    v(Out{"ratio", "fraction", "second largest mean diagonal over the largest", {"layer", "head"}}, o.ratio);
    v(Out{"mean_diagonal", "fraction", "mean attention so many tokens back", {"layer", "head", "lag"}},
      o.mean_diagonal);
    v(Out{"argmax_lag", "tokens", "tokens back to the largest mean diagonal", {"layer", "head"}}.setting(),
      o.argmax_lag);
    v(Out{"previous", "fraction", "mean attention one token back", {"layer", "head"}}, o.previous);
    v(Out{"even", "fraction", "mean diagonal of attention that is even", {"lag"}}, o.even);
    v(Out{"self", "fraction", "mean attention to the token itself", {"layer", "head"}}, o.self);
    v(Out{"first", "fraction", "mean attention to the first token", {"layer", "head"}}, o.first);
    v(Out{"induction",
          "fraction",
          "mean attention to what followed the same token earlier, where there was one",
          {"layer", "head"}},
      o.induction);
    v(Out{"duplicate", "fraction", "mean attention to the same token earlier, where there was one", {"layer", "head"}},
      o.duplicate);
    v(Out{"entropy", "bits", "mean entropy of a query's attention", {"layer", "head"}}, o.entropy);
    v(Out{"metric", "", "what is measured", {"metric"}}.key(), o.metric);
    v(Out{"level", "", "the same of a head that attends evenly", {"metric"}}, o.level);
  }
};

/// Our own text: the 750 tokens that the source text used were not published.
inline constexpr std::string_view kProse =
    "The harbour lay quiet under a grey sky when the last of the boats came in. Nobody on the quay had expected it "
    "so late in the year, and the old keeper, who had watched the sea for forty winters, put down his pipe and "
    "walked slowly to the end of the pier. The captain waved to him but did not call. Behind the boat a line of "
    "gulls followed the wake, rising and falling with the water, and for a while their cries were the only sound. "
    "When the ropes had been thrown and made fast, three men climbed ashore with a wooden chest between them. It was "
    "small, no longer than an arm, yet they carried it as if it held all that they had brought home from the north. "
    "The keeper asked what was in it. The captain laughed, wiped the salt from his face and said that he had asked "
    "himself the same question every night since they left the ice, because the woman who gave it to them had made "
    "him promise to open it only in this harbour, and only in front of the man who kept the light.";

/// A prompt with BOS in front, as in the source text.
inline std::string with_prompt(const std::string& edit, std::string_view prompt) {
  return "edit=" + edit + "&bos=1&prompt=" + std::string(prompt);
}

/// A head of GPT-2 small and the mean attention that others have measured on random tokens and on prose.
struct Measured {
  std::size_t layer, head;
  double random, prose = 0;

  std::string name() const { return std::to_string(layer) + "." + std::to_string(head); }
  std::string id(const char* kind) const { return std::string(kind) + "-" + name(); }
};
/// To what followed the same token in the first of two copies of 30 tokens, BOS in front.
inline constexpr Measured kInduction[] = {{5, 5, .926}, {6, 9, .891}, {7, 10, .890}, {5, 1, .887}, {7, 2, .803}};
/// To the previous token.
inline constexpr Measured kPrevious[] = {
    {4, 11, .987, .999}, {3, 7, .544, .358}, {2, 2, .494, .532}, {6, 8, .480, .188}, {5, 6, .415, .140}};
/// How far another draw of random tokens, or another text, may be from theirs.
inline constexpr double kNearInduction = 0.05, kNearOther = 0.1;

inline void declare_findings(std::vector<ClaimSpec>& claims, const std::string& prose) {
  const std::string small{kGpt2Small}, once = random_tokens(1), twice = random_tokens(2);
  for (const Measured& m : kInduction)
    claims.push_back({m.id("IND"),
                      "Induction: on 30 random tokens and the same 30 again, head " + m.name() + " attends with " +
                          to_text(m.random) + " to the token after the earlier occurrence.",
                      m.random, "fraction", small, twice});
  for (const Measured& m : kPrevious) {
    const std::string attends = "head " + m.name() + " attends to the previous token with a mean of ";
    claims.push_back(
        {m.id("PREV"), "On random tokens, " + attends + to_text(m.random) + ".", m.random, "fraction", small, once});
    claims.push_back({m.id("PREV") + "-prose", "On English text, " + attends + to_text(m.prose) + ".", m.prose,
                      "fraction", small, prose});
  }
}

inline std::vector<ClaimSpec> declared_claims() {
  const std::string small{kGpt2Small}, prose = with_prompt("", kProse);
  std::vector<ClaimSpec> claims{
      {"T5",
       "69 of the 144 heads have their largest mean diagonal one token back.",
       69,
       "heads",
       small,
       prose,
       {"min_length=1|5|20&bos=1|0", "previous_token_heads", 0.5}},
      {"T6",
       "Head 4.11 is by far the clearest previous-token head: its second-largest mean diagonal is 1 % of its largest.",
       0.01, "fraction", small, prose}};
  declare_findings(claims, prose);
  return claims;
}

inline std::vector<Preset> declared_presets() {
  const std::string prose = with_prompt("", kProse);
  std::string repeated;
  for (int i = 0; i < 100; ++i) repeated += " a";
  return {
      {"prose", "Prose", "some 200 tokens of prose with BOS in front", prose},
      {"long_diagonals", "Prose, long diagonals alone", "diagonals of fewer than 20 entries are left out",
       prose + "&min_length=20"},
      {"averaged", "Positions averaged in tens",
       "ten neighbours share one position: which heads still find the previous token?",
       with_prompt("group_positions:10", kProse)},
      {"no_positions", "Without positions", "all positional embeddings are zero",
       with_prompt("zero_positions", kProse)},
      {"induction", "What followed the same word",
       "a list, twice: which heads look at what came after the word the first time?",
       "metric=induction&beside=previous&prompt= river stone window captain letter green horse summer river stone "
       "window captain letter green horse summer"},
      {"first", "The first token", "where heads look that have nothing else to do",
       "metric=first&beside=entropy&" + prose},
      {"repeated", "One token a hundred times",
       "where every token is the same, no head can tell by the token which one came before", with_prompt("", repeated)},
      {"random", "Random tokens, twice",
       "30 tokens of GPT-2's vocabulary and the same 30 again: nothing but the repetition can be predicted",
       random_tokens(2)}};
}

inline StudySchema describe() {
  StudySchema schema;
  schema.id = "head_taxonomy";
  schema.title = "Heads by where they attend";
  schema.group = "Heads";
  schema.question = "Which heads attend most to the previous token?";
  schema.source = "A. Yedidia, The positional embedding matrix and previous-token heads, 2023";
  schema.reads = Reads::layers;
  schema.text_run = "study=predictions&top=50";
  schema.presets = declared_presets();
  schema.claims = declared_claims();
  return with_fields<Params, Output>(std::move(schema));
}

}  // namespace helix::studies::head_taxonomy
