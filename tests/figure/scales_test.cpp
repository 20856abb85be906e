// Scales: their ticks, the tick labels, and the positions of values.
#include <algorithm>

#include "figure/ticks.h"
#include "tests/figure/drawings.h"

namespace scales_test {

using namespace helix;
using namespace helix::figure;
using namespace helix::testing;
using Catch::Approx;

namespace {

Scale of_kind(ScaleKind kind) {
  Scale scale = quantity("what");
  scale.kind = kind;
  return scale;
}

std::string texts(const Scale& scale, double low, double high, int count) {
  std::string all;
  for (const Tick& t : ticks(scale, low, high, count)) all += (all.empty() ? "" : " ") + t.text;
  return all;
}

/// A line through these values, drawn on this scale.
Drawing drawn_on(Scale up, std::vector<double> values) {
  Figure f;
  Plot plot{over("layer", 0, static_cast<int>(values.size())), std::move(up)};
  plot.marks = {Line{"layer", 0, over_index(std::move(values))}};
  f.panels = {{"plot", "", std::move(plot)}};
  return drawn(f, 600, 300);
}

}  // namespace

TEST_CASE("steps of an axis are 1, 2 or 5 times a power of ten", "[figure][scale]") {
  CHECK(nice_step(10, 10) == Approx(1));
  CHECK(nice_step(1023, 6) == Approx(200));
  CHECK(nice_step(3.1, 2) == Approx(2));
  CHECK(nice_step(0.9, 2) == Approx(0.5));
  CHECK(nice_step(9, 1) == Approx(10));
  Dice dice(1);
  for (int i = 0; i < 200; ++i) {
    const double span = std::pow(10, dice.between(-12, 12));
    const int count = 1 + static_cast<int>(dice.below(10));
    const double step = nice_step(span, count), lead = step / std::pow(10, std::floor(std::log10(step) + 1e-9));
    CHECK((lead == Approx(1) || lead == Approx(2) || lead == Approx(5)));
    CHECK(span / step >= count / 2.0);
    CHECK(span / step <= count * 2.0);
  }
  for (const double span : {0.0, -1.0, HUGE_VAL, std::nan("")}) CHECK(nice_step(span, 3) == 1);
}

TEST_CASE("ticks of a quantity have as many digits as their step, and a true minus", "[figure][scale]") {
  CHECK(texts(Scale(), -1, 1, 4) == "−1.0 −0.5 0.0 0.5 1.0");
  CHECK(texts(Scale(), 0, 0.6, 3) == "0.0 0.2 0.4 0.6");
  CHECK(texts(Scale(), 0, 200'000, 2) == "0 100,000 200,000");
  Scale percent;
  percent.percent = true;
  CHECK(texts(percent, 0, 1, 4) == "0 % 20 % 40 % 60 % 80 % 100 %");
  CHECK(ticks(percent, 0, 1, 4)[1].value == Approx(0.2));
  for (const auto& [low, high] :
       std::vector<std::pair<double, double>>{{1, 1}, {2, 1}, {std::nan(""), 1}, {0, HUGE_VAL}, {-HUGE_VAL, 0}})
    for (const ScaleKind kind : {ScaleKind::linear, ScaleKind::log, ScaleKind::symlog})
      CHECK(ticks(of_kind(kind), low, high, 4).empty());
}

TEST_CASE("a logarithmic scale has powers of ten, or 1, 2 and 5 of them", "[figure][scale]") {
  const Scale log = of_kind(ScaleKind::log);
  CHECK(texts(log, 0.01, 10'000, 10) == "0.01 0.1 1 10 100 1000 10000");
  CHECK(texts(log, 1e-6, 1, 3).starts_with("10⁻⁶ "));
  CHECK(ticks(log, 1e-12, 1e12, 5).size() <= 7);
  CHECK(texts(log, 1, 60, 6) == "1 10");
  CHECK(texts(log, 2, 60, 6) == "2 5 10 20 50");
  CHECK(texts(log, 0.002, 0.01, 6) == "0.002 0.005 0.01");
  CHECK(ticks(log, -1, 10, 6).empty());
  const auto all = ticks(log, 0.02, 7e7, 6);
  for (std::size_t i = 1; i < all.size(); ++i) CHECK(all[i].value > all[i - 1].value);
}

TEST_CASE("a scale that is logarithmic on both sides of zero has ticks on both", "[figure][scale]") {
  const Scale symlog = of_kind(ScaleKind::symlog);
  CHECK(texts(symlog, -100, 1000, 8) == "−100 −10 −1 0 1 10 100 1000");
  CHECK(texts(symlog, 0, 100, 6) == "0 1 10 100");
  CHECK(texts(symlog, -5, 1.5, 6) == "−5 −2 −1 0 1");
  CHECK(texts(symlog, -0.5, 0.5, 2) == "−0.5 0.0 0.5");
  CHECK(texts(symlog, 20, 5000, 6) == "100 1000");
  CHECK(texts(symlog, -1e6, 1e6, 6) == "−10⁶ −1000 0 1000 10⁶");  // labels nearer to 0 would overlap
  const auto all = ticks(symlog, -5e4, 3e6, 8);
  for (std::size_t i = 1; i < all.size(); ++i) CHECK(all[i].value > all[i - 1].value);
  CHECK(std::any_of(all.begin(), all.end(), [](const Tick& t) { return t.text == "0"; }));
}

TEST_CASE("a domain is widened to whole steps, but not where its ends are given", "[figure][scale]") {
  const auto domain = [](const Scale& scale, double low, double high) {
    const Domain d = nice_domain(scale, {low, high}, 5);
    CHECK(d.low < d.high);
    CHECK((std::isfinite(d.low) && std::isfinite(d.high)));
    return std::pair(d.low, d.high);
  };
  Scale plain;
  CHECK(domain(plain, 0.13, 0.97).first == Approx(0).margin(1e-12));
  CHECK(domain(plain, 0.13, 0.97).second == Approx(1));
  Scale bounded;
  bounded.low = 0, bounded.high = 0.97;
  CHECK(domain(bounded, 0, 0.97) == std::pair(0.0, 0.97));
  Scale from_zero;
  from_zero.from_zero = true;
  CHECK(domain(from_zero, 3.2, 3.4).first == 0);
  CHECK(domain(from_zero, -3.4, -3.2).second == 0);
  Scale log = of_kind(ScaleKind::log), symlog = of_kind(ScaleKind::symlog);
  for (const Scale& scale : {plain, from_zero, log, symlog})
    for (const auto& [low, high] : std::vector<std::pair<double, double>>{
             {5, 5}, {0, 0}, {-3, -3}, {HUGE_VAL, -HUGE_VAL}, {std::nan(""), 2}, {-2, 4}, {0, 1e9}, {-1, HUGE_VAL}})
      domain(scale, low, high);
}

TEST_CASE("equal factors are equally long on a logarithmic scale", "[figure][scale]") {
  const Drawing d = drawn_on(of_kind(ScaleKind::log), {1, 10, 100, 0, 1000, -5});
  const auto pieces = capsules(*d.find("plot"));
  REQUIRE(pieces.size() == 2);  // values without a logarithm are a gap
  const float decade = pieces[0].a.y - pieces[0].b.y;
  CHECK(decade > 20);
  CHECK(pieces[1].a.y - pieces[1].b.y == Approx(decade));
  const Block& block = *d.find("plot");
  for (const char* text : {"1", "10", "100", "1000"}) CHECK(has_label(block, text));
  // Ticks lie at the positions of their values.
  const auto label =
      std::find_if(block.labels.begin(), block.labels.end(), [](const Label& l) { return l.text == "100"; });
  REQUIRE(label != block.labels.end());
  CHECK(label->at.y == Approx(pieces[1].b.y).margin(0.1));
}

TEST_CASE("a symmetric logarithmic scale shows both signs and what is small between", "[figure][scale]") {
  const Drawing d = drawn_on(of_kind(ScaleKind::symlog), {-99, 0, 99});
  const auto pieces = capsules(*d.find("plot"));
  REQUIRE(pieces.size() == 2);
  CHECK(pieces[0].a.y - pieces[0].b.y == Approx(pieces[1].a.y - pieces[1].b.y));
  check_labels(d);
}

TEST_CASE("numbers at the ends of a scale have three digits or so", "[figure][scale]") {
  CHECK(short_number(0) == "0");
  CHECK(short_number(-0.25) == "−0.25");
  CHECK(short_number(0.012) == "0.012");
  CHECK(short_number(12.34) == "12.3");
  CHECK(short_number(1234.5) == "1234");
  CHECK(short_number(2.5e7) == "2.5·10⁷");
  CHECK(short_number(-2.5e-7) == "−2.5·10⁻⁷");
  CHECK(short_number(9.99e6) == "1.0·10⁷");
  CHECK(short_number(std::nan("")) == "–");
  CHECK(short_number(-HUGE_VAL) == "−∞");
}

TEST_CASE("a panel that is a colour bar alone has it in a narrow column too", "[figure][scale]") {
  Figure f;
  Plot plot;
  plot.x.quiet = plot.y.quiet = true;
  plot.height = 44;
  plot.colour = ColourScale{"", {0.25, 4.5, false}};
  f.panels = {{"colours", "length of the vector", std::move(plot)}};
  const Drawing d = drawn(f, 182, 80);
  std::string labels;
  for (const Block& b : d.blocks)
    for (const Label& l : b.labels) labels += l.text + "|";
  CHECK(labels.find("0.25") != std::string::npos);
  CHECK(labels.find("4.5") != std::string::npos);
}

}  // namespace scales_test
