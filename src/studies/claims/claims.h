// Every claim that the studies declare, judged in one table; or one claim under every convention its text leaves open.
#pragma once

#include "studies/study.h"

namespace helix::studies::claims {

enum class About { any, gpt2_small, no_weights };
/// After `any`, in the order of kVerdicts.
enum class Verdict { any, holds, fails, shown, elsewhere, untested };

/// What protocol::verdict says.
inline constexpr const char* kVerdicts[] = {"holds", "does not hold", "shown", "about another model", "not tested"};

struct Params {
  About about = About::any;
  Verdict holds = Verdict::any;
  std::string only, conventions;
  bool presets = false;
  std::vector<std::string> beside{"minihelix"};

  template <class V, class Self>
  static void fields(V&& v, Self& p) {
    v(Field{"about", "About", "Which model the claim speaks of."}, p.about,
      OneOf{{{"any", "any model"}, {"gpt2-small", "GPT-2 small"}, {"none", "no weights at all"}}});
    v(Field{"holds", "Verdict", "Show only claims with this verdict."}, p.holds,
      OneOf{{{"any", "any"},
             {"holds", "holds"},
             {"fails", "does not hold"},
             {"shown", "shown, not judged"},
             {"elsewhere", "about another model"},
             {"untested", "not tested"}}});
    v(Field{"only", "Only",
            "The id of one claim, or what several begin with (“F9” for “F9-wpe-mean”). Empty: all claims.", "", "",
            true},
      p.only, Text{40});
    v(Field{"conventions", "All conventions of",
            "The id of one claim (“F11”): its number under every convention that the text leaves open. Empty: all "
            "claims.",
            "", "", true},
      p.conventions, Text{40});
    v(Field{"presets", "Also at presets",
            "Judge a claim at the presets of its study as well: a number may hold with one convention and not with "
            "another.",
            "", "", true},
      p.presets);
    v(Field{"beside", "Other models", "Models to use, in this order, where the open model lacks what a claim needs.",
            "", "", true},
      p.beside, Names{4, 120, Suggest::models});
  }
};

/// Lists have one entry per row: a claim at one setting.
struct Output : OutputBase {
  protocol::Quantity settings, done, rows, judged, holds, fails, shown, elsewhere, untested, reproduced;
  protocol::Grid stated, here, reproduces;  // NaN: no such number
  protocol::Texts id, verdict, text, source, unit, about, study, fragment, setting, link, model, how, needs;

  template <class V, class Self>
  static void fields(V&& v, Self& o) {
    using protocol::Out;
    v(Out{"settings", "settings", "settings of the studies at which claims are judged"}.setting(), o.settings);
    v(Out{"done", "settings", "of these have been run"}.setting(), o.done);
    v(Out{"rows", "claims", "rows of the table, after the filters"}, o.rows);
    v(Out{"judged", "claims", "are judged: they hold or do not"}, o.judged);
    v(Out{"holds", "claims", "hold"}.headline(), o.holds);
    v(Out{"fails", "claims", "do not hold"}, o.fails);
    v(Out{"shown", "claims", "are shown, and not judged"}, o.shown);
    v(Out{"elsewhere", "claims", "are about another model"}, o.elsewhere);
    v(Out{"untested", "claims", "need weights that are not open"}, o.untested);
    v(Out{"reproduced", "settings", "give the number that is stated"}, o.reproduced);
    v(Out{"stated", "", "the text's number", {"claim"}}, o.stated);
    v(Out{"here", "", "the number here", {"claim"}}, o.here);
    v(Out{"reproduces", "", "1 where it is the text's number, to the digits that are stated", {"claim"}}, o.reproduces);
    v(Out{"id", "", "claim", {"claim"}}.key(), o.id);
    v(Out{"verdict", "", "verdict", {"claim"}}, o.verdict);
    v(Out{"text", "", "what the text says", {"claim"}}, o.text);
    v(Out{"source", "", "the text", {"claim"}}, o.source);
    v(Out{"unit", "", "unit of its numbers", {"claim"}}, o.unit);
    v(Out{"about", "", "the model it is about, by its id", {"claim"}}, o.about);
    v(Out{"study", "", "study that judges it", {"claim"}}, o.study);
    v(Out{"fragment", "", "setting of that study, as a part of a link", {"claim"}}, o.fragment);
    v(Out{"setting", "", "the setting in words, for one claim under every convention", {"claim"}}, o.setting);
    v(Out{"link", "", "part of a link that leads to the number", {"claim"}}, o.link);
    v(Out{"model", "", "model it was computed on", {"claim"}}, o.model);
    v(Out{"convention", "", "convention", {"claim"}}, o.how);
    v(Out{"needs", "", "what is missing", {"claim"}}, o.needs);
  }
};

inline StudySchema describe() {
  StudySchema schema;
  schema.id = "claims";
  schema.title = "All claims";
  schema.group = "Claims";
  schema.no_difference =
      "Claims are judged one by one, so two tables of them are read beside each other, not subtracted.";
  schema.question = "Which statements of the source texts hold, with which numbers and conventions?";
  schema.source = "the texts that the studies name; every number is computed here";
  schema.reads = Reads::positions, schema.runs_others = true;
  schema.presets = {
      {"default", "Every claim", "each at the settings where its study judges it", ""},
      {"helix", "90 % in three components, every convention",
       "which rows, and centred or not: the post leaves this partly open", "conventions=H1"},
      {"sinusoid", "153 components, every convention", "the slides' number needs a base that they do not state",
       "conventions=F11"},
      {"slides", "Effective rank 535.5, every matrix nearby",
       "the slides do not say which W of layer 5 they mean; needs GPT-2 small's weights", "conventions=F5"}};
  return with_fields<Params, Output>(std::move(schema));
}

}  // namespace helix::studies::claims
