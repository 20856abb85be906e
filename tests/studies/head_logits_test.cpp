#include "studies/head_logits/head_logits.h"

#include <cmath>

#include "studies/registry_view.h"
#include "tests/figure/drawings.h"
#include "tests/noise_model.h"
#include "tests/sentence_check.h"

namespace head_logits_test {

using namespace helix;
using namespace helix::testing;
using Catch::Approx;
using protocol::Result;

namespace {

constexpr TinySizes kSizes{3, 32, 4, 24, 40};
const std::vector<std::int32_t> kTokens{5, 30, 12, 7, 33, 21};

studies::Inputs runnable(const std::function<void(Tensors&)>& change = {}, std::vector<Edit> edits = {}) {
  studies::Inputs inputs = runnable_model(kSizes, change);
  inputs.subject.tokens = kTokens, inputs.subject.edits = std::move(edits);
  return inputs;
}

/// A vocabulary in which “ Mary” and “ John” are one token each, and a model of it that reads whole sentences.
studies::Inputs with_names(std::string prompt, std::size_t layers = 2, std::size_t heads = 2) {
  const auto files = testing::files_of(
      {{" ", "M"}, {" M", "a"}, {" Ma", "r"}, {" Mar", "y"}, {" ", "J"}, {" J", "o"}, {" Jo", "h"}, {" Joh", "n"}});
  auto tokenizer = tokenizer::Tokenizer::read(files.vocab_json, files.merges_txt, "names");
  REQUIRE(tokenizer);
  studies::Inputs inputs = runnable_model({layers, 8 * heads, heads, 120, tokenizer->size()});
  inputs.tokenizer = std::make_shared<const tokenizer::Tokenizer>(std::move(*tokenizer));
  inputs.subject.prompt = std::move(prompt);
  return inputs;
}

Result result_of(const studies::Inputs& inputs, ParamValues asked = {}) {
  auto result = run_study("head_logits", inputs, std::move(asked));
  if (!result) FAIL(result.error().sentence);
  return *result;
}

const std::vector<double>& data(const Result& result, const char* name) { return result.array(name)->data; }
double number(const Result& result, const char* name) { return result.scalar(name)->value; }

double part(const Result& result, const std::string& name) {
  const auto& names = result.words_of("parts")->data;
  const auto at = std::ranges::find(names, name);
  REQUIRE(at != names.end());
  return data(result, "part")[static_cast<std::size_t>(at - names.begin())];
}

/// That the parts are the difference, to 1e-4 of the largest of them.
void check_sum(const Result& result) {
  double sum = 0, most = 0;
  for (const char* name : {"contribution", "part"})
    for (const double x : data(result, name)) sum += x, most = std::max(most, std::abs(x));
  CHECK(std::abs(sum - number(result, "difference")) <= 1e-4 * most);
}

/// Head 1.2 attends to anything and writes what the output head reads as token 7: the bias of its values alone is not 0.
void plant(Tensors& t) {
  const std::size_t d = kSizes.d_model, dh = d / kSizes.n_head, at = 2 * dh;
  auto& in = t.at("h.1.attn.c_attn.weight");
  auto& bias = t.at("h.1.attn.c_attn.bias");
  auto& out = t.at("h.1.attn.c_proj.weight");
  for (std::size_t i = 0; i < d; ++i)
    for (std::size_t a = 0; a < dh; ++a) in[i * 3 * d + 2 * d + at + a] = 0;
  for (std::size_t a = 0; a < dh; ++a) bias[2 * d + at + a] = a == 0 ? 40 : 0;
  for (std::size_t i = 0; i < d; ++i) t.at("wte.weight")[7 * d + i] *= 2;
  for (std::size_t i = 0; i < d; ++i) out[at * d + i] = t.at("ln_f.weight")[i] * t.at("wte.weight")[7 * d + i];
}

}  // namespace

TEST_CASE("the parts add up to the logit less the mean of the vocabulary, or less another logit", "[head_logits]") {
  const Result plain = result_of(runnable());
  CHECK(plain.array("contribution")->shape == std::vector<std::size_t>{3, 4});
  CHECK(plain.words_of("parts")->data ==
        std::vector<std::string>{"tokens", "positions", "MLP 0", "MLP 1", "MLP 2", "biases"});
  check_sum(plain);
  CHECK(number(plain, "residual_error") < 1e-4);
  CHECK(data(plain, "answer").size() == 1);
  const auto predicted = run_study("predictions", runnable());
  REQUIRE(predicted);
  CHECK(data(plain, "answer")[0] == data(*predicted, "token")[0]);
  CHECK(data(plain, "random_strongest").size() == 20);
  CHECK(std::isnan(number(plain, "right")));

  studies::Inputs inputs = planted_inputs();
  inputs.subject.tokens = {5, 80, 33, 7};
  const Result two = result_of(inputs, {{"answer", " the"}, {"against", "at"}});
  check_sum(two);
  CHECK(data(two, "answer").size() == 2);
  CHECK(two.words_of("text")->data == std::vector<std::string>{" the", "at"});
  const Result turned = result_of(inputs, {{"answer", "at"}, {"against", " the"}});
  CHECK(number(turned, "difference") == Approx(-number(two, "difference")));
  CHECK(number(turned, "strongest") == Approx(-number(two, "opposed")));
  const auto wrong = run_study("head_logits", inputs, {{"answer", "no such token"}});
  REQUIRE(!wrong);
  check_sentence(wrong.error(), "one is needed");
}

TEST_CASE("a head that writes the answer is found, where its bias is counted with it", "[head_logits]") {
  const Result with = result_of(runnable(plant), {{"value_bias", "heads"}}), apart = result_of(runnable(plant));
  CHECK(data(with, "answer")[0] == 7);
  const auto& heads = data(with, "contribution");
  CHECK(std::ranges::max_element(heads) - heads.begin() == 6);
  CHECK(number(with, "strongest") > 2 * std::ranges::max(data(with, "random_strongest")));
  CHECK(data(apart, "contribution")[6] == Approx(0).margin(1e-4));
  CHECK(part(apart, "biases") - part(with, "biases") > 0.9 * number(with, "strongest"));
  check_sum(with), check_sum(apart);
  const auto title = [](const Result& r) { return studies::find_view_study("head_logits")->view(r, r.params).title; };
  CHECK(title(with).starts_with("Head 1.2 says most for “"));
  Result against = with;
  std::ranges::find(against.scalars, "opposed", &protocol::Scalar::name)->value = -1e4;
  auto& cells = std::ranges::find(against.arrays, "contribution", &protocol::Array::name)->data;
  cells[9] = -1e4;
  CHECK(title(against).starts_with("Head 2.1 is most against “"));
  Result none = with;
  std::ranges::find(none.arrays, "random_strongest", &protocol::Array::name)->data.assign(20, 1e3);
  CHECK(title(none).starts_with("No head stands out for “"));
}

TEST_CASE("a head that is switched off says nothing, and what an edit writes is a part", "[head_logits]") {
  for (const char* where : {"biases", "heads"}) {
    const Result off = result_of(runnable(plant, {{"ablate_head:1.2", true}}), {{"value_bias", where}});
    CHECK(data(off, "contribution")[6] == 0);
    CHECK(std::abs(part(off, "edits")) < 1e-3);
    check_sum(off);
  }
  const Result doubled = result_of(runnable({}, {{"scale_attn:1:2", true}}));
  CHECK(std::abs(part(doubled, "edits")) > 1e-3);
  check_sum(doubled);
}

TEST_CASE("the set is the mean of its prompts, each of which is a run of its own", "[head_logits]") {
  const Result set = result_of(with_names("any"), {{"prompts", "set"}});
  const auto& sentences = set.words_of("sentences")->data;
  const auto& each = data(set, "by_prompt");
  REQUIRE(sentences.size() == 32);
  REQUIRE(each.size() == 32);
  CHECK(sentences[0] == "When Mary and John went to the garden, John gave a book to");
  CHECK(sentences[1] == "When John and Mary went to the garden, John gave a book to");
  double sum = 0, square = 0, right = 0;
  for (const double x : each) sum += x, square += x * x, right += x > 0;
  for (std::size_t i = 0; i < 2; ++i) {
    const Result one = result_of(with_names(sentences[i]), {{"answer", " Mary"}, {"against", " John"}});
    CHECK(number(one, "difference") == Approx(each[i]).margin(1e-6));
  }
  CHECK(number(set, "difference") == Approx(sum / 32));
  CHECK(number(set, "spread") == Approx(std::sqrt(square / 32 - sum / 32 * sum / 32)));
  CHECK(number(set, "right") == Approx(right / 32));
  CHECK(data(set, "deviation").size() == 4);
  CHECK(data(set, "answer").empty());
  check_sum(set);
  const auto none = run_study("head_logits", planted_inputs(), {{"prompts", "set"}});
  REQUIRE(!none);
  check_sentence(none.error(), "first names");
}

TEST_CASE("the heads that move names are counted among those that add most", "[head_logits]") {
  const Result small = result_of(with_names("any"), {{"prompts", "set"}});
  const auto claim = [](const Result& r, const char* id) {
    const auto at = std::ranges::find(r.claims, id, &protocol::Claim::id);
    REQUIRE(at != r.claims.end());
    return *at;
  };
  CHECK(!claim(small, "NAMES-movers").here);
  const Result large = result_of(with_names("any", 12, 12), {{"prompts", "set"}});
  std::vector<double> sorted = data(large, "contribution");
  REQUIRE(sorted.size() == 144);
  const std::vector<double> heads = sorted;
  std::ranges::sort(sorted);
  double movers = 0, negative = 0;
  for (const std::size_t i : {9 * 12 + 9, 9 * 12 + 6, 10 * 12}) movers += heads[i] >= sorted[141];
  for (const std::size_t i : {10 * 12 + 7, 11 * 12 + 10}) negative += heads[i] <= sorted[1];
  CHECK(claim(large, "NAMES-movers").here == movers);
  CHECK(claim(large, "NAMES-negative").here == negative);
  studies::Inputs edited = with_names("any", 12, 12);
  edited.subject.edits = {{"ablate_head:9.9", true}};
  CHECK(result_of(edited, {{"prompts", "set"}}).claims.empty());
}

TEST_CASE("the bars begin where the map of a few layers ends, however high the page", "[head_logits]") {
  const Result result = result_of(runnable());
  const figure::Figure f = studies::find_view_study("head_logits")->view(result, result.params);
  for (const float height : {500.0f, 800.0f, 1100.0f}) {
    CAPTURE(height);
    const figure::Drawing d = drawn(f, 900, height);
    const figure::Hit* map = hit_of(d, "map");
    REQUIRE(map);
    const figure::Rect bars = block_of(d, "parts").rect;
    CHECK(bars.y - map->rect.bottom() < 70);  // the colour bar stands between them
    CHECK(bars.bottom() > height - 20);
  }
}

}  // namespace head_logits_test
