#include "studies/claims/claims.h"

#include <set>

#include "checkpoint/open_file.h"
#include "studies/claims/visits.h"
#include "studies/judge_compute.h"
#include "studies/registry_view.h"
#include "tests/planted.h"

namespace claims_test {

using namespace helix;
using namespace helix::testing;
using namespace helix::studies;
using Catch::Approx;

namespace {

Expected<protocol::Result> run(Inputs inputs, const Given& values = {}) {
  return run_study("claims", std::move(inputs), values);
}

/// Every claim on the planted model, computed once for all tests.
const Expected<protocol::Result>& planted_run() {
  static const Expected<protocol::Result> found = run(planted_inputs());
  REQUIRE(found);
  return found;
}

std::size_t row_of(const protocol::Result& r, const std::string& id) {
  const auto& ids = r.words_of("id")->data;
  const auto at = std::ranges::find(ids, id);
  REQUIRE(at != ids.end());
  return static_cast<std::size_t>(at - ids.begin());
}

}  // namespace

TEST_CASE("every declared claim has a row that leads to its study", "[claims]") {
  const auto& r = planted_run();
  std::set<std::string> ids(r->words_of("id")->data.begin(), r->words_of("id")->data.end()), declared;
  for (const auto& study : compute_studies())
    for (const ClaimSpec& claim : study.schema.claims) declared.insert(claim.id);
  CHECK(ids == declared);
  CHECK(r->complete);
  const std::size_t h1 = row_of(*r, "H1");
  CHECK(r->words_of("study")->data[h1] == "position_helix");
  CHECK(r->words_of("link")->data[h1] == "model=planted&study=position_helix");
  CHECK(r->words_of("verdict")->data[h1] == "about another model");
  CHECK(r->array("here")->data[h1] > 0.9);
  CHECK(r->array("stated")->data[h1] == 0.9);
  const std::size_t f11 = row_of(*r, "F11");
  CHECK(r->words_of("verdict")->data[f11] == "holds");
  CHECK(r->array("here")->data[f11] == 153);
  CHECK(r->words_of("link")->data[f11] == "study=position_helix&source=sinusoidal&first=0&base=1000");
  double counted = 0;
  for (const char* kind : {"holds", "fails", "shown", "elsewhere", "untested"}) counted += r->scalar(kind)->value;
  CHECK(counted == static_cast<double>(r->words_of("id")->data.size()));
}

TEST_CASE("a number in the table is the number of its study", "[claims]") {
  const auto& all = planted_run();
  const auto alone = run_study("position_cosine", planted_inputs());
  REQUIRE(alone);
  const std::size_t at = row_of(*all, "H7");
  const double here = all->array("here")->data[at], there = alone->scalar("period")->value;
  CHECK((here == there || (std::isnan(here) && std::isnan(there))));
  CHECK(all->words_of("convention")->data[at] == alone->claims.front().convention);
}

TEST_CASE("what a model lacks is named, and what needs none is judged without one", "[claims]") {
  const auto none = run(Inputs());
  REQUIRE(none);
  CHECK(none->words_of("verdict")->data[row_of(*none, "F11")] == "holds");
  const std::size_t h1 = row_of(*none, "H1");
  CHECK(none->words_of("verdict")->data[h1] == "not tested");
  CHECK(none->words_of("needs")->data[h1] == "wpe.weight");
  Inputs positions;
  positions.weights = weights_of(checkpoint_of(helix_rows(60, 12, 2, 0.01)));
  positions.provenance.model = "positions";
  positions.models = {{"positions", "", positions.weights}};
  const auto some = run(positions);
  REQUIRE(some);
  CHECK(some->words_of("verdict")->data[row_of(*some, "H1")] == "about another model");
  // These claims are about GPT-2 small, so no weights of another model can test them.
  for (const char* id : {"O3", "T5"})
    CHECK(some->words_of("verdict")->data[row_of(*some, id)] == "about another model");
  const std::size_t h4 = row_of(*some, "H4");  // about models that only its link names
  CHECK(some->words_of("verdict")->data[h4] == "not tested");
  CHECK(some->words_of("needs")->data[h4] == "the 9 models that its link names");
  CHECK(some->words_of("link")->data[h4].starts_with("study=position_models&models=openai-community/gpt2,"));
}

TEST_CASE("a second model answers what the open one cannot", "[claims]") {
  Inputs inputs = planted_inputs();
  const ModelInputs whole = inputs.models.front();
  inputs.weights = weights_of(checkpoint_of(helix_rows(60, 12, 2, 0.01)));
  inputs.size.reset(), inputs.network.reset(), inputs.session.reset();
  inputs.provenance.model = "positions";
  inputs.models = {{"positions", "", inputs.weights}, whole};
  const auto r = run(inputs);
  REQUIRE(r);
  CHECK(r->words_of("model")->data[row_of(*r, "H1")] == "positions");
  CHECK(r->words_of("model")->data[row_of(*r, "O3")] == "planted");
  CHECK(r->provenance.model == "positions");
  REQUIRE(r->provenance.others.size() == 1);
  CHECK(r->provenance.others[0].model == "planted");
}

TEST_CASE("a claim about any model is judged on one that can run, where the open one can judge the others in part",
          "[claims][large]") {
  const ModelInputs whole = planted_inputs().models.front();
  auto opened = checkpoint::ModelFile::open(in_repository("assets/models/gpt2-positions"));
  REQUIRE(opened);
  const auto file = std::make_shared<checkpoint::ModelFile>(std::move(*opened));
  const std::vector<std::string> table{"wpe.weight"};
  REQUIRE(file->load(table));
  Inputs inputs;
  inputs.weights = std::shared_ptr<const checkpoint::WeightFile>(file, &file->weights());
  inputs.provenance.model = "positions";
  inputs.models = {{"positions", "", inputs.weights}, whole};
  const auto r = run(inputs);
  REQUIRE(r);
  CHECK(r->words_of("model")->data[row_of(*r, "F9-wpe-mean")] == "positions");
  CHECK(r->words_of("verdict")->data[row_of(*r, "F9-wpe-mean")] == "holds");
  CHECK(r->words_of("needs")->data[row_of(*r, "TL-hello")] == "the whole checkpoint");
  CHECK(r->words_of("needs")->data[row_of(*r, "F8")] == "wte.weight");  // the model that stands in has no such token
  CHECK(r->words_of("model")->data[row_of(*r, "F3")] == "planted");
  CHECK(r->words_of("verdict")->data[row_of(*r, "F3")] == "holds");
  CHECK(std::ranges::count(r->words_of("id")->data, "TL-hello") == 1);
}

TEST_CASE("one claim under every convention, and which of them the text took", "[claims]") {
  CHECK(claims::combinations("a=1&b=2", "b=x|y&c=0|1") ==
        std::vector<std::string>{"a=1&b=x&c=0", "a=1&b=x&c=1", "a=1&b=y&c=0", "a=1&b=y&c=1"});
  CHECK(claims::combinations("", "a=1|2") == std::vector<std::string>{"a=1", "a=2"});
  const auto r = run(planted_inputs(), {{"conventions", "H1"}});
  REQUIRE(r);
  const auto& settings = r->words_of("setting")->data;
  REQUIRE(settings.size() == 8);
  CHECK(settings.front() == "Rows 0, to 1022, centred");
  CHECK(settings.back() == "Rows 1, to 1023, not centred");
  const auto& here = r->array("here")->data;
  CHECK(here.front() != here.back());
  CHECK(r->words_of("fragment")->data[1] == "first=0&last=1022&centre=0");
  CHECK(r->scalar("reproduced")->value == 0);  // the claim is about another model
  check_sentence(run(Inputs(), {{"conventions", "Z9"}}).error().sentence, "No study judges a claim");
  check_sentence(run(Inputs(), {{"conventions", "F7"}}).error().sentence, "leaves no convention open");
}

TEST_CASE("every declared number is one of the study's", "[claims][contract]") {
  for (const auto& study : compute_studies())
    for (const ClaimSpec& claim : study.schema.claims)
      for (const std::string& text : studies::numbers_of(claim)) {
        INFO(claim.id << " " << text);
        const auto number = studies::number_name(text);
        REQUIRE(number);
        const OutputSpec* output = study.schema.output(number->output);
        REQUIRE(output);
        CHECK(!output->words);
        CHECK(output->axes.size() == number->at.size());
        CHECK((!claim.stated || claim.conventions.within > 0));
      }
}

TEST_CASE("a declared number is a scalar or an entry, counted as its array counts", "[claims]") {
  protocol::Result r;
  r.scalars = {{"mean", 2.5, "nats", ""}, {"none", std::nan(""), "", "no such heads"}};
  r.arrays = {{"previous", {2, 3}, {"layer", "head"}, "", {1, 2, 3, 4, 5, std::nan("")}},
              {"token", {2}, {"rank"}, "", {40, 41}, 1}};
  CHECK(studies::number_in(r, "mean") == 2.5);
  CHECK(studies::number_in(r, "previous[1,0]") == 4);
  CHECK(studies::number_in(r, "token[1]") == 40);  // ranks count from 1
  for (const char* no : {"none", "mean[0]", "previous", "previous[1]", "previous[1,2]", "previous[2,0]",
                         "previous[0,3]", "previous[-1,0]", "token[0]", "token[3]", "token[x]", "token[1", "other"})
    CHECK(!studies::number_in(r, no));
}

TEST_CASE("a declared number is judged with the text and the edits that its claim names, and not with others",
          "[claims]") {
  StudySchema schema = find_compute_study("predictions")->schema;
  const std::string cat = "prompt=the cat&bos=1";
  schema.claims = {{"X-1", 7, "token", "", cat, {"", "token[1]", 0.5}},
                   {"X-2", 8, "token", "", cat + "&edit=scale_head:1.0:0", {"", "token[1]", 0.5}}};
  protocol::Result result;
  result.params = defaults(schema);
  result.arrays = {{"token", {1}, {"rank"}, "", {8}, 1}};
  const auto judged = [&](Subject subject) {
    protocol::Result r = result;
    studies::judge_stated(schema, subject, r);
    return r.claims;
  };
  Subject subject;
  subject.prompt = "the cat", subject.bos = true;
  REQUIRE(judged(subject).size() == 1);
  CHECK(judged(subject)[0].id == "X-1");
  CHECK(judged(subject)[0].holds == false);
  CHECK(judged(subject)[0].convention.ends_with("holds within 0.5"));
  subject.edits = {{"scale_head:1.0:0", true}};
  REQUIRE(judged(subject).size() == 1);
  CHECK(judged(subject)[0].id == "X-2");
  CHECK(judged(subject)[0].holds == true);
  subject.edits.push_back({"zero_positions", false});  // switched off, it does not count
  CHECK(judged(subject).size() == 1);
  subject.edits.back().on = true;
  CHECK(judged(subject).empty());
}

TEST_CASE("every declared convention can be set", "[claims][contract]") {
  for (const auto& study : compute_studies())
    for (const ClaimSpec& claim : study.schema.claims) {
      if (claim.conventions.settings.empty()) continue;
      INFO(claim.id);
      claims::Params params;
      params.conventions = claim.id;
      const auto visits = claims::visits_of(params);
      REQUIRE(visits);
      for (const claims::Visit& visit : *visits) CHECK(visit.problem.empty());
    }
}

TEST_CASE("in another precision, claims of what runs are judged anew, and the provenance says so", "[claims]") {
  Inputs inputs = planted_inputs();
  const auto floats = inputs.network;
  const auto p1 = [&](Precision precision) {
    inputs.subject.precision = precision;
    inputs.network = precision == Precision::q8 ? model::Network::quantised(floats) : floats;
    inputs.models[0].network = inputs.network;
    const auto r = run(inputs, {{"only", "P1"}});
    REQUIRE(r);
    return std::pair(r->array("here")->data[row_of(*r, "P1")], r->provenance);
  };
  const auto eight = p1(Precision::q8), full = p1(Precision::f32);
  CHECK(eight.first != full.first);
  inputs.memory = std::make_shared<std::shared_ptr<void>>();
  CHECK(full.first == p1(Precision::f32).first);  // as if the other had never run
  CHECK(full.second.precision == "F32");
  CHECK(full.second.arithmetic == "float32");
  CHECK(eight.second.precision == "F32 as 8-bit integers");
  CHECK(eight.second.arithmetic == "int8 products, float32 sums");
  const StudySchema schema = claims::describe();
  CHECK(schema.depends_on_precision());
  CHECK(!find_compute_study("position_norms")->schema.depends_on_precision());
}

TEST_CASE("results come one by one, and what was computed is kept", "[claims]") {
  Inputs inputs = planted_inputs();
  std::vector<double> judged;
  inputs.on_first_picture = [&](protocol::Result r) {
    CHECK(!r.complete);
    judged.push_back(r.scalar("done")->value);
  };
  const auto first = run(inputs), again = run(inputs);
  REQUIRE(again);
  REQUIRE(judged.size() > 4);
  CHECK(judged[0] == 1);
  CHECK(judged[1] == 2);
  CHECK(first->array("here")->data.size() == again->array("here")->data.size());
}

TEST_CASE("one claim, or those that begin alike", "[claims]") {
  const auto one = run(Inputs(), {{"only", "F18"}});
  REQUIRE(one);
  CHECK(one->words_of("id")->data == protocol::Texts{"F18"});
  const auto several = run(Inputs(), {{"only", "F9-wpe"}});
  REQUIRE(several);
  CHECK(several->words_of("id")->data.size() == 4);
}

TEST_CASE("filters leave their rows in the result too, and what is judged is counted", "[claims][view]") {
  const Inputs inputs = planted_inputs();
  const auto& all = planted_run();
  const auto value = [](const protocol::Result& r, const char* name) { return r.scalar(name)->value; };
  CHECK(value(*all, "judged") == value(*all, "holds") + value(*all, "fails"));
  CHECK(value(*all, "rows") == static_cast<double>(all->words_of("id")->data.size()));
  CHECK(value(*all, "done") == value(*all, "settings"));
  const ViewStudy& s = *find_view_study("claims");
  const auto some = run(inputs, {{"holds", "elsewhere"}});
  REQUIRE(some);
  CHECK(value(*some, "rows") == value(*all, "elsewhere"));
  CHECK(some->array("here")->data.size() == static_cast<std::size_t>(value(*all, "elsewhere")));
  for (const std::string& verdict : some->words_of("verdict")->data) CHECK(verdict == "about another model");
  CHECK(value(*some, "judged") == 0);
  CHECK(s.view(*some, some->params).title == "None of these claims can be judged here");
  const auto about = run(inputs, {{"about", "none"}});
  REQUIRE(about);
  for (const std::string& id : about->words_of("about")->data) CHECK(id.empty());
  CHECK(value(*about, "rows") < value(*all, "rows"));
  const auto none = run(inputs, {{"about", "none"}, {"holds", "elsewhere"}});
  REQUIRE(none);
  CHECK(value(*none, "rows") == 0);
  CHECK(s.view(*none, none->params).title == "No claim passes these filters");
  const auto one = run(inputs, {{"only", "F11"}});
  CHECK(s.view(*one, one->params).title == "1 of the 1 claim that can be judged here holds");
}

TEST_CASE("the vocabulary of a model that is not whole is enough for a claim about tokens", "[claims]") {
  Inputs inputs;
  inputs.weights = weights_of(checkpoint_of(helix_rows(60, 12, 2, 0.01)));
  inputs.provenance.model = "positions";
  inputs.models = {{"positions", "", inputs.weights, "", planted_tokenizer()}};
  const auto with = run(inputs, {{"only", "H8"}});
  REQUIRE(with);
  CHECK(with->array("here")->data[row_of(*with, "H8")] > 0);
  const StudySchema& schema = find_compute_study("claims")->schema;
  const Known known{[](const std::string&) { return std::optional(ModelSize{0, 0, 12, 60, 0}); }};
  CHECK(find_compute_study("claims")->needs(defaults(schema), known).front().reads == Reads::tokens);
}

TEST_CASE("filters leave the rows that they name", "[claims][view]") {
  const auto& r = planted_run();
  const ViewStudy& s = *find_view_study("claims");
  ParamValues params = r->params;
  const std::size_t all = s.view(*r, params).tables[0].go.size();
  CHECK(all == r->words_of("id")->data.size());
  REQUIRE(set_value(s.schema, params, "holds", "elsewhere", true));
  CHECK(s.view(*r, params).tables[0].go.size() == static_cast<std::size_t>(r->scalar("elsewhere")->value));
  REQUIRE(set_value(s.schema, params, "about", "none", true));
  CHECK(s.view(*r, params).tables[0].go.empty());
  ViewState view;
  view.focus = {{"verdict", 3}};
  CHECK(s.reading(*r, r->params, view).title == "about another model");
  CHECK(s.view(protocol::Result(), {}).title == "All claims");
}

}  // namespace claims_test
