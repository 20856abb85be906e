// Every claim that the studies declare, judged in one table; or one claim under every convention its text leaves open.
#pragma once

#include "studies/study.h"

namespace helix::studies::claims {

inline constexpr Words say{"claims"};

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

  static void fields(ParamVisitor& v, Params& p) {
    v(Field{"about"}, p.about, OneOf{{"any", "gpt2-small", "none"}});
    v(Field{"holds"}, p.holds, OneOf{{"any", "holds", "fails", "shown", "elsewhere", "untested"}});
    v(Field{"only", "", "", true}, p.only, Text{40});
    v(Field{"conventions", "", "", true}, p.conventions, Text{40});
    v(Field{"presets", "", "", true}, p.presets);
    v(Field{"beside", "", "", true}, p.beside, Names{4, 120, Suggest::models});
  }
};

/// Lists have one entry per row: a claim at one setting.
struct Output : OutputBase {
  protocol::Quantity settings, done, rows, judged, holds, fails, shown, elsewhere, untested, reproduced;
  protocol::Grid stated, here, reproduces;  // NaN: no such number
  protocol::Texts id, verdict, text, source, unit, about, study, fragment, setting, link, model, how, needs;

  static void fields(protocol::OutputVisitor& v, Output& o) {
    using protocol::Out;
    v(Out{"settings", "settings"}.setting(), o.settings);
    v(Out{"done", "settings"}.setting(), o.done);
    v(Out{"rows", "claims"}, o.rows);
    v(Out{"judged", "claims"}, o.judged);
    v(Out{"holds", "claims"}.headline(), o.holds);
    v(Out{"fails", "claims"}, o.fails);
    v(Out{"shown", "claims"}, o.shown);
    v(Out{"elsewhere", "claims"}, o.elsewhere);
    v(Out{"untested", "claims"}, o.untested);
    v(Out{"reproduced", "settings"}, o.reproduced);
    v(Out{"stated", "", {"claim"}}, o.stated);
    v(Out{"here", "", {"claim"}}, o.here);
    v(Out{"reproduces", "", {"claim"}}, o.reproduces);
    v(Out{"id", "", {"claim"}}.key(), o.id);
    v(Out{"verdict", "", {"claim"}}, o.verdict);
    v(Out{"text", "", {"claim"}}, o.text);
    v(Out{"source", "", {"claim"}}, o.source);
    v(Out{"unit", "", {"claim"}}, o.unit);
    v(Out{"about", "", {"claim"}}, o.about);
    v(Out{"study", "", {"claim"}}, o.study);
    v(Out{"fragment", "", {"claim"}}, o.fragment);
    v(Out{"setting", "", {"claim"}}, o.setting);
    v(Out{"link", "", {"claim"}}, o.link);
    v(Out{"model", "", {"claim"}}, o.model);
    v(Out{"convention", "", {"claim"}}, o.how);
    v(Out{"needs", "", {"claim"}}, o.needs);
  }
};

inline StudySchema describe() {
  StudySchema schema;
  schema.id = "claims";
  schema.group = "Claims";
  schema.reads = Reads::positions, schema.runs_others = true;
  schema.presets = {
      {"default", ""}, {"helix", "conventions=H1"}, {"sinusoid", "conventions=F11"}, {"slides", "conventions=F5"}};
  return with_fields<Params, Output>(std::move(schema));
}

}  // namespace helix::studies::claims
