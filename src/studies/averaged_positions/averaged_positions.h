// Positions averaged in groups: how rough may they be before the model no longer predicts, copies and finds the token
// before? A. Yedidia, The positional embedding matrix and previous-token heads, 2023; claims T1 to T4 and T14.
#pragma once

#include <string>
#include <vector>

#include "studies/bundled_texts.h"
#include "studies/study.h"

namespace helix::studies::averaged_positions {

inline constexpr Words say{"averaged_positions"};

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
  int window = 112, windows = 2;
  std::vector<int> groups{1, 10, 20, 50, 100};
  int every = 5;

  static void fields(ParamVisitor& v, Params& p) {
    v(Field{"averaged"}, p.averaged, OneOf{{"table", "extended"}});
    v(Field{"before", "layer", "averaged=extended"}, p.before, Whole{0, 999, Bound::last_layer});
    v(Field{"group", "tokens"}, p.group, Whole{1, 65535, Bound::last_position, "", true});
    v(Field{"layer", "layer"}, p.layer, Whole{-1, 999, Bound::last_layer});
    v(Field{"head", "head"}, p.head, Whole{-1, 999, Bound::last_head});
    v(Field{"text", "", "", true}, p.text, OneOf{{"darwin", "austen", "prompt"}});
    v(Field{"window", "tokens", "", true}, p.window, Whole{3, 65535, Bound::last_position});
    v(Field{"windows", "", "", true}, p.windows, Whole{1, 16});
    v(Field{"groups", "tokens", "", true}, p.groups, Wholes{1, 65535, 0, 16, Bound::last_position});
    v(Field{"every", "tokens", "", true}, p.every, Whole{1, 65535, Bound::last_position});
  }
};

struct Output : OutputBase {
  protocol::Quantity holds_to, breaks_at, group, group_previous, own_previous, none_previous, even_previous, head_left,
      loss_own, loss_group, loss_none, loss_left, copying_own, copying_group, copying_none, answer_own, answer_group,
      answer_none, masked_previous, others_previous, layer, head, before, window, windows, every, first_query;
  protocol::Grid size, loss, loss_by_window, loss_kept, window_kept, copying, copying_kept, token, answer, answer_kept,
      previous, previous_none, head_previous, head_kept, layer_previous, pattern, depth, masked, others, masked_pattern;

  std::size_t groups() const { return size.data.size(); }

  static void fields(protocol::OutputVisitor& v, Output& o) {
    using protocol::Out;
    v(Out{"group_previous", "fraction"}.headline(), o.group_previous);
    v(Out{"own_previous", "fraction"}, o.own_previous);
    v(Out{"none_previous", "fraction"}, o.none_previous);
    v(Out{"even_previous", "fraction"}, o.even_previous);
    v(Out{"head_left", "fraction"}, o.head_left);
    v(Out{"loss_group", "nats"}, o.loss_group);
    v(Out{"loss_own", "nats"}, o.loss_own);
    v(Out{"loss_none", "nats"}, o.loss_none);
    v(Out{"loss_left", "fraction"}, o.loss_left);
    v(Out{"copying_group", "fraction"}, o.copying_group);
    v(Out{"copying_own", "fraction"}, o.copying_own);
    v(Out{"copying_none", "fraction"}, o.copying_none);
    v(Out{"answer_group", "fraction"}.of("token"), o.answer_group);
    v(Out{"answer_own", "fraction"}.of("token"), o.answer_own);
    v(Out{"answer_none", "fraction"}.of("token"), o.answer_none);
    v(Out{"holds_to", "tokens"}, o.holds_to);
    v(Out{"breaks_at", "tokens"}, o.breaks_at);
    v(Out{"masked_previous", "fraction"}, o.masked_previous);
    v(Out{"others_previous", "fraction"}, o.others_previous);
    v(Out{"layer", "layer"}.setting(), o.layer);
    v(Out{"head", "head"}.setting(), o.head);
    v(Out{"before", "layer"}.setting(), o.before);
    v(Out{"group", "tokens"}.setting(), o.group);
    v(Out{"window", "tokens"}.setting(), o.window);
    v(Out{"windows", "windows"}.setting(), o.windows);
    v(Out{"every", "tokens"}.setting(), o.every);
    v(Out{"first_query", "position"}.setting(), o.first_query);
    v(Out{"size", "tokens", {"group"}}.key(), o.size);
    v(Out{"loss", "nats", {"group"}}.brief("loss"), o.loss);
    v(Out{"loss_by_window", "nats", {"window", "group"}}, o.loss_by_window);
    v(Out{"loss_kept", "fraction", {"group"}}, o.loss_kept);
    v(Out{"window_kept", "fraction", {"window", "group"}}, o.window_kept);
    v(Out{"copying", "fraction", {"group"}}.brief("copying"), o.copying);
    v(Out{"copying_kept", "fraction", {"group"}}, o.copying_kept);
    v(Out{"token", "", {"rank"}}.key(), o.token);
    v(Out{"answer", "fraction", {"group"}}.of("token").brief("prompt"), o.answer);
    v(Out{"answer_kept", "fraction", {"group"}}.of("token"), o.answer_kept);
    v(Out{"head_previous", "fraction", {"group"}}, o.head_previous);
    v(Out{"head_kept", "fraction", {"group"}}, o.head_kept);
    v(Out{"layer_previous", "fraction", {"group", "layer"}}, o.layer_previous);
    v(Out{"previous", "fraction", {"group", "layer", "head"}}, o.previous);
    v(Out{"previous_none", "fraction", {"layer", "head"}}, o.previous_none);
    v(Out{"pattern", "fraction", {"group", "row", "column"}}.f32(), o.pattern);
    v(Out{"depth", "layers", {"depth"}}.setting(), o.depth);
    v(Out{"masked", "fraction", {"depth"}}.brief("these tokens"), o.masked);
    v(Out{"others", "fraction", {"depth"}}.brief("other tokens"), o.others);
    v(Out{"masked_pattern", "fraction", {"row", "column"}}.f32(), o.masked_pattern);
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

inline Claims declared_claims() {
  constexpr std::string_view small = kGpt2Small;
  const auto before = [](const char* layer, const char* head) {
    return "averaged=extended&group=10&before=" + std::string(layer) + "&layer=" + layer + "&head=" + head + "&bos=1";
  };
  return {{"T1", 50, "tokens", small, "window=400&windows=1&bos=1"},
          {"T2", 0.99, "fraction", small, "group=10&" + repeat_prompt()},
          {"T3", std::nullopt, "fraction", small, "group=10&window=400&windows=1&bos=1"},
          {"T4", std::nullopt, "fraction", small, "layer=4&head=11&window=400&windows=1&bos=1"},
          {"T14", std::nullopt, "fraction", small, before("2", "2")},
          {"T14-later", std::nullopt, "fraction", small, before("4", "11")}};
}

inline Presets declared_presets() {
  return {{"default", ""},
          {"before_3", "averaged=extended&group=50"},
          {"before_4", "averaged=extended&before=4&group=50"},
          {"longer", "window=192&windows=1&group=16&groups=1,16,32,64,128"},
          {"dialogue", "text=austen"},
          {"repeat", "group=10&groups=1,10,50&" + repeat_prompt()},
          {"prompt", "text=prompt&from=text"}};
}

inline StudySchema describe() {
  StudySchema schema;
  schema.id = "averaged_positions";
  schema.group = "Heads";
  schema.reads = Reads::forward;
  schema.presets = declared_presets();
  schema.claims = declared_claims();
  schema.leads = {{"helix", "study=position_helix&group=20"},
                  {"taxonomy", "study=head_taxonomy"},
                  {"extended", "study=extended_positions"}};
  return with_fields<Params, Output>(std::move(schema));
}

}  // namespace helix::studies::averaged_positions
