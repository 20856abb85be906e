// Positions averaged in groups: how rough may they be before the model no longer predicts, copies and finds the token
// before? A. Yedidia, The positional embedding matrix and previous-token heads, 2023; claims T1 to T4 and T14.
#pragma once

#include <string>
#include <vector>

#include "studies/bundled_texts.h"
#include "studies/study.h"

namespace helix::studies::averaged_positions {

/// Whose text is cut into windows, in the order of the parameter.
enum class Source { darwin, austen, prompt };
/// What is averaged: rows of wpe, or what became of them in the residual stream before a layer.
enum class Averaged { table, extended };

inline constexpr double kLittle = 0.95;     // what is left of an effect that is nearly whole
inline constexpr double kBroken = 0.9;      // and of one that breaks down
inline constexpr std::size_t kCopied = 50;  // random tokens of the text that is read twice
inline constexpr std::size_t kCrop = 30;    // queries and keys of a drawn pattern

struct Params {
  Averaged averaged = Averaged::table;
  int before = 3;
  int group = 20;
  int layer = -1, head = -1;
  Source text = Source::darwin;
  int window = 160, windows = 2;
  std::vector<int> groups{1, 5, 10, 20, 50, 100, 200};
  int every = 5;

  template <class V, class Self>
  static void fields(V&& v, Self& p) {
    v(Field{"averaged", "Average", "Rows of the table of positions, or what became of them before a layer."},
      p.averaged, OneOf{{{"table", "the table"}, {"extended", "before a layer"}}});
    v(Field{"before", "Before layer", "Where extended positions are averaged.", "layer", "averaged=extended"}, p.before,
      Whole{0, 999, Bound::last_layer});
    v(Field{"group", "Tokens that share a position", "The group size whose numbers and pattern are shown.", "tokens"},
      p.group, Whole{1, 65535, Bound::last_position, "", true});
    v(Field{"layer", "Layer", "Layer of the head; −1: that of the head that attends most to the previous token.",
            "layer"},
      p.layer, Whole{-1, 999, Bound::last_layer});
    v(Field{"head", "Head", "−1: the head that attends most to the previous token.", "head"}, p.head,
      Whole{-1, 999, Bound::last_head});
    v(Field{"text", "Text", "What is predicted: the start of a book, or the prompt.", "", "", true}, p.text,
      OneOf{{{"darwin", "Darwin"}, {"austen", "Austen"}, {"prompt", "the prompt"}}});
    v(Field{"window", "Tokens in a window", "The text is cut into windows, each of which begins at position 0.",
            "tokens", "", true},
      p.window, Whole{3, 65535, Bound::last_position});
    v(Field{"windows", "Windows", "At most so many.", "", "", true}, p.windows, Whole{1, 16});
    v(Field{"groups", "Group sizes", "Points of the curves.", "tokens", "", true}, p.groups,
      Wholes{1, 65535, 0, 16, Bound::last_position});
    v(Field{"every", "Hide from every … tokens",
            "In the counter-test every position is kept, but every so many tokens the previous token is masked.",
            "tokens", "", true},
      p.every, Whole{1, 65535, Bound::last_position});
  }
};

struct Output : OutputBase {
  protocol::Quantity holds_to, breaks_at, group, group_previous, own_previous, none_previous, even_previous, head_left,
      loss_own, loss_group, loss_none, loss_left, copying_own, copying_group, copying_none, answer_own, answer_group,
      answer_none, masked_previous, others_previous, layer, head, before, window, windows, every, first_query;
  protocol::Grid size, loss, loss_by_window, loss_kept, window_kept, copying, copying_kept, token, answer, answer_kept,
      previous, previous_none, head_previous, head_kept, layer_previous, pattern, depth, masked, others, masked_pattern;

  std::size_t groups() const { return size.data.size(); }

  template <class V, class Self>
  static void fields(V&& v, Self& o) {
    using protocol::Out;
    v(Out{"group_previous", "fraction", "the head's attention to the previous token, positions averaged"}.headline(),
      o.group_previous);
    v(Out{"own_previous", "fraction", "the same, each token at its own position"}, o.own_previous);
    v(Out{"none_previous", "fraction", "the same without positions"}, o.none_previous);
    v(Out{"even_previous", "fraction", "the same of a head that attends evenly"}, o.even_previous);
    v(Out{"head_left", "fraction", "what is left of what positions add to it"}, o.head_left);
    v(Out{"loss_group", "nats", "mean loss per token, positions averaged"}, o.loss_group);
    v(Out{"loss_own", "nats", "the same, each token at its own position"}, o.loss_own);
    v(Out{"loss_none", "nats", "the same without positions"}, o.loss_none);
    v(Out{"loss_left", "fraction", "what is left of what positions take off the loss"}, o.loss_left);
    v(Out{"copying_group", "fraction", "probability of the right token when random tokens repeat, positions averaged"},
      o.copying_group);
    v(Out{"copying_own", "fraction", "the same, each token at its own position"}, o.copying_own);
    v(Out{"copying_none", "fraction", "the same without positions"}, o.copying_none);
    v(Out{"answer_group", "fraction", "probability of the likeliest next token, positions averaged"}.of("token"),
      o.answer_group);
    v(Out{"answer_own", "fraction", "the same, each token at its own position"}.of("token"), o.answer_own);
    v(Out{"answer_none", "fraction", "the same without positions"}.of("token"), o.answer_none);
    v(Out{"holds_to", "tokens", "up to this group size nearly all is left"}, o.holds_to);
    v(Out{"breaks_at", "tokens", "the smallest that costs a tenth of what positions take off the loss"}, o.breaks_at);
    v(Out{"masked_previous", "fraction", "counter-test: the same where it is masked in all earlier layers"},
      o.masked_previous);
    v(Out{"others_previous", "fraction", "the same of the other tokens"}, o.others_previous);
    v(Out{"layer", "layer", "layer of the head"}.setting(), o.layer);
    v(Out{"head", "head", "the head"}.setting(), o.head);
    v(Out{"before", "layer", "extended positions are averaged before"}.setting(), o.before);
    v(Out{"group", "tokens", "tokens that share a position"}.setting(), o.group);
    v(Out{"window", "tokens", "tokens in a window"}.setting(), o.window);
    v(Out{"windows", "windows", "windows of the text"}.setting(), o.windows);
    v(Out{"every", "tokens", "the counter-test masks every so many tokens"}.setting(), o.every);
    v(Out{"first_query", "position", "the drawn patterns begin at"}.setting(), o.first_query);
    v(Out{"size", "tokens", "tokens that share a position", {"group"}}.key(), o.size);
    v(Out{"loss", "nats", "mean loss per token", {"group"}}, o.loss);
    v(Out{"loss_by_window", "nats", "mean loss per token of each window", {"window", "group"}}, o.loss_by_window);
    v(Out{"loss_kept", "fraction", "what is left of what positions take off the loss", {"group"}}, o.loss_kept);
    v(Out{"window_kept", "fraction", "the same of each window", {"window", "group"}}, o.window_kept);
    v(Out{"copying", "fraction", "probability of the right token when random tokens repeat", {"group"}}, o.copying);
    v(Out{"copying_kept", "fraction", "what is left of what positions add to it", {"group"}}, o.copying_kept);
    v(Out{"token", "", "id of the prompt's likeliest next token", {"rank"}}.key(), o.token);
    v(Out{"answer", "fraction", "probability of the prompt's likeliest next token", {"group"}}.of("token"), o.answer);
    v(Out{"answer_kept", "fraction", "what is left of what positions add to it", {"group"}}.of("token"), o.answer_kept);
    v(Out{"head_previous", "fraction", "the head's attention to the previous token", {"group"}}, o.head_previous);
    v(Out{"head_kept", "fraction", "what is left of what positions add to it", {"group"}}, o.head_kept);
    v(Out{"layer_previous", "fraction", "attention to the previous token, mean over heads", {"group", "layer"}},
      o.layer_previous);
    v(Out{"previous", "fraction", "attention to the previous token", {"group", "layer", "head"}}, o.previous);
    v(Out{"previous_none", "fraction", "the same without positions", {"layer", "head"}}, o.previous_none);
    v(Out{"pattern", "fraction", "part of the head's pattern in the first window", {"group", "query", "key"}}.f32(),
      o.pattern);
    v(Out{"depth", "layers", "counter-test: the previous token is masked in so many layers", {"depth"}}.setting(),
      o.depth);
    v(Out{"masked", "fraction", "attention to the previous token, of the tokens from which it is hidden", {"depth"}},
      o.masked);
    v(Out{"others", "fraction", "the same of the other tokens", {"depth"}}, o.others);
    v(Out{"masked_pattern", "fraction", "the same part of the pattern, masked in all earlier layers", {"query", "key"}}
          .f32(),
      o.masked_pattern);
  }
};

/// A prompt in the manner of the text, which did not publish its own: strings to repeat, the last of two common words.
inline std::string repeat_prompt() {
  std::string text = "bos=1&prompt=";
  for (const char* said : {"hello", "gorapopefm", "table", "1pdjpm3efe4", "window river", "qzlvw tomk", "seven"})
    text +=
        "Request: Please repeat the following string exactly: \"" + std::string(said) + "\" Reply: \"" + said + "\" ";
  return text + "Request: Please repeat the following string exactly: \" apple orange\" Reply: \"";
}

inline std::vector<ClaimSpec> declared_claims() {
  const std::string small{kGpt2Small};
  const auto before = [](const char* layer, const char* head) {
    return "averaged=extended&group=10&before=" + std::string(layer) + "&layer=" + layer + "&head=" + head + "&bos=1";
  };
  return {
      {"T1",
       "Groups of 5, 10 or 20 positions can be averaged with hardly any change; from groups of 50 or 100 on, "
       "performance "
       "breaks down.",
       50, "tokens", small, "window=400&windows=1&bos=1"},
      {"T2",
       "Asked to repeat “apple orange”, the model is more than 99 % sure of “apple”, whether positions are averaged in "
       "groups of ten or not.",
       0.99, "fraction", small, "group=10&" + repeat_prompt()},
      {"T3", "Heads 2.2, 3.3 and 4.11 find the previous token as before when positions are averaged in groups of ten.",
       std::nullopt, "fraction", small, "group=10&window=400&windows=1&bos=1"},
      {"T4",
       "Where every fifth token cannot attend to the previous token it in layers 0 to 3, head 4.11 no longer finds it "
       "there.",
       std::nullopt, "fraction", small, "layer=4&head=11&window=400&windows=1&bos=1"},
      {"T14", "Averaging extended positions in groups of ten before layer 2 breaks the pattern of head 2.2.",
       std::nullopt, "fraction", small, before("2", "2")},
      {"T14-later", "Averaging extended positions in groups of ten before layer 4 barely touches head 4.11.",
       std::nullopt, "fraction", small, before("4", "11")}};
}

inline std::vector<Preset> declared_presets() {
  return {{"default", "The start of a book", text_credit("darwin"), ""},
          {"before_3", "Averaged before layer 3", "what became of positions in the residual stream; the words stay",
           "averaged=extended&group=50"},
          {"before_4", "Averaged before layer 4", "one layer later", "averaged=extended&before=4&group=50"},
          {"longer", "Longer windows", "up to 200 tokens of 400 share a position",
           "window=400&windows=3&groups=1,2,5,10,20,50,100,200,400"},
          {"dialogue", "Another book", text_credit("austen"), "text=austen"},
          {"repeat", "Repeat a string", "the prompt asks to repeat two words: which one comes first?",
           "group=10&" + repeat_prompt()},
          {"prompt", "Your own prompt", "the curves are those of the prompt itself", "text=prompt&from=text"}};
}

inline StudySchema describe() {
  StudySchema schema;
  schema.id = "averaged_positions";
  schema.title = "Averaged positions";
  schema.group = "Heads";
  schema.question = "How many tokens can share one position?";
  schema.source = "A. Yedidia, The positional embedding matrix and previous-token heads, 2023";
  schema.reads = Reads::forward;
  schema.presets = declared_presets();
  schema.claims = declared_claims();
  schema.leads = {
      {"helix", "See averaged positions on the helix", "The same groups on the curve of positions",
       "study=position_helix&group=20"},
      {"taxonomy", "See all heads", "Where each head attends", "study=head_taxonomy"},
      {"extended", "Positions inside the model", "What is averaged before a layer", "study=extended_positions"}};
  return with_fields<Params, Output>(std::move(schema));
}

}  // namespace helix::studies::averaged_positions
