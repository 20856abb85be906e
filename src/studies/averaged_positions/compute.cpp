// Each group size is one more edit of the same texts, and so are "no positions" and the masks of the counter-test. What a
// size gives is kept: another size, or another head, costs only what is new.
#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "base/text.h"
#include "studies/averaged_positions/claims.h"
#include "studies/averaged_positions/runs.h"

namespace helix::studies::averaged_positions {
namespace {

using Kept = std::shared_ptr<const Seen>;

constexpr double kMatters = 0.02;  // a share of attention or a probability that positions add
constexpr double kErrors = 2;      // a loss differs if it does so by this many standard errors
constexpr const char* kNothing = "positions make no difference here";

struct Runs {
  std::vector<std::size_t> sizes;
  std::vector<Kept> by_size;  // the first is of groups of one: nothing is averaged
  Kept none;
  std::vector<Kept> masked;  // by the number of layers
  const Seen& own() const { return *by_size.front(); }
};

/// Where the head is that is followed, among all heads.
struct Head {
  std::size_t layer = 0, head = 0, heads = 1;
  std::size_t at() const { return layer * heads + head; }
};

// ---- means

std::vector<double> over_windows(const std::vector<std::vector<double>>& by_window) {
  std::vector<double> out(by_window.front().size(), 0);
  for (const auto& window : by_window)
    for (std::size_t i = 0; i < out.size(); ++i) out[i] += window[i] / static_cast<double>(by_window.size());
  return out;
}

double loss_of(const Seen& seen) {
  std::vector<double> each;
  for (const auto& window : seen.loss) each.push_back(mean(window));
  return mean(each);
}

/// By how much the loss is larger without positions; not a number where that may be chance: within two standard errors
/// of the tokens' differences.
double gain_of(const std::vector<double>& own, const std::vector<double>& none) {
  double sum = 0, square = 0;
  for (std::size_t i = 0; i < own.size(); ++i) sum += none[i] - own[i];
  const double n = static_cast<double>(own.size()), difference = sum / n;
  for (std::size_t i = 0; i < own.size(); ++i) square += std::pow(none[i] - own[i] - difference, 2);
  return difference > kErrors * std::sqrt(square / n / std::max(n - 1, 1.0)) ? difference : std::nan("");
}

double gain_of(const std::vector<std::vector<double>>& own, const std::vector<std::vector<double>>& none) {
  std::vector<double> a, b;
  for (std::size_t w = 0; w < own.size(); ++w) {
    a.insert(a.end(), own[w].begin(), own[w].end());
    b.insert(b.end(), none[w].begin(), none[w].end());
  }
  return gain_of(a, b);
}

/// What is left of what positions add to a share: 1 as the model is, 0 without positions.
double kept(double here, double own, double none) {
  return own - none > kMatters ? (here - none) / (own - none) : std::nan("");
}

protocol::Grid list_of(std::vector<double> values) { return {{values.size()}, std::move(values)}; }

/// A number, or why there is none.
protocol::Quantity number(double value, const std::string& note, const std::string& why_not) {
  return {value, std::isfinite(value) ? note : why_not};
}

// ---- what runs

std::vector<std::size_t> sizes_of(const Params& params, std::size_t longest) {
  std::set<std::size_t> sizes{1};
  const auto add = [&](int size) { sizes.insert(std::min(static_cast<std::size_t>(size), longest - 1)); };
  for (const int size : params.groups) add(size);
  add(params.group);
  return {sizes.begin(), sizes.end()};
}

Condition averaged(const Params& params, std::size_t size) {
  Condition out;
  if (size == 1)  // the counter-test begins with this run, and what is done from some layer on shares those before
    return {"", static_cast<std::size_t>(params.every), 0, params.averaged == Averaged::table};
  out.edit = params.averaged == Averaged::table ? "group_positions:"
                                                : "average_extended:" + std::to_string(params.before) + ":";
  out.edit += std::to_string(size);
  return out;
}

/// The previous token is hidden in the first `depth` layers; what is asked is what the head of layer `last` does then.
Condition masked(std::size_t depth, std::size_t last, int every) {
  const std::string layers = depth > 1 ? "0-" + std::to_string(depth - 1) : "0";
  return {"mask_previous:" + layers + ":" + std::to_string(every), static_cast<std::size_t>(every), last + 1,
          depth < last};
}

/// The head that is asked for; where only a part of it is, or nothing, the one that attends most to the previous token.
Head head_of(const Params& params, const Output& out, Context& context) {
  const std::size_t layers = out.previous_none.rows(), heads = out.previous_none.cols();
  const bool there = params.layer < static_cast<int>(layers) && params.head < static_cast<int>(heads);
  if (!there)
    context.note(say("note.no_head", {{"head", std::to_string(params.layer) + "." + std::to_string(params.head)}}));
  const std::size_t from =
      params.averaged == Averaged::extended && params.layer < 0 ? static_cast<std::size_t>(params.before) : 0;
  Head best{from, 0, heads};
  double most = -1;
  for (std::size_t layer = from; layer < layers; ++layer)
    for (std::size_t head = 0; head < heads; ++head) {
      const bool other = there && ((params.layer >= 0 && params.layer != static_cast<int>(layer)) ||
                                   (params.head >= 0 && params.head != static_cast<int>(head)));
      const double here = out.previous.data[layer * heads + head];
      if (!other && here > most) most = here, best = {layer, head, heads};
    }
  return best;
}

Task<Expected<Runs>> run_sizes(Context* context, const Texts* texts, Params params) {
  Runs runs;
  runs.sizes = sizes_of(params, texts->longest());
  const double total = static_cast<double>(runs.sizes.size()) + 2;
  for (std::size_t i = 0; i < runs.sizes.size(); ++i) {
    const auto part =
        co_await progress_part(static_cast<double>(i), 1, total, "groups of " + std::to_string(runs.sizes[i]));
    const Condition groups = averaged(params, runs.sizes[i]);
    const auto seen = co_await seen_with(context, texts, groups);
    if (!seen) co_return seen.error();
    runs.by_size.push_back(*seen);
  }
  const auto part = co_await progress_part(total - 2, 1, total, "no positions");
  const Condition without{"zero_positions"};
  const auto none = co_await seen_with(context, texts, without);
  if (!none) co_return none.error();
  runs.none = *none;
  co_return runs;
}

Task<Expected<void>> run_masks(Context* context, const Texts* texts, int every, std::size_t layer, Runs* runs) {
  const auto all = co_await progress_part(0.9, 0.1, 1, "the previous token hidden");
  runs->masked.assign(layer + 1, runs->by_size.front());
  for (std::size_t depth = layer; depth > 0; --depth) {  // the deepest first: the others begin with layers of it
    const auto part = co_await progress_part(static_cast<double>(layer - depth), 1, static_cast<double>(layer),
                                             "hidden in " + std::to_string(depth) + " layers");
    const Condition hidden = masked(depth, layer, every);
    const auto seen = co_await seen_with(context, texts, hidden);
    if (!seen) co_return seen.error();
    runs->masked[depth] = *seen;
  }
  co_return Expected<void>();
}

// ---- outputs

void add_loss(Output& out, const Runs& runs) {
  const std::size_t groups = runs.sizes.size(), windows = runs.own().loss.size();
  const double none = loss_of(*runs.none), gain = gain_of(runs.own().loss, runs.none->loss);
  out.size = list_of(std::vector<double>(runs.sizes.begin(), runs.sizes.end()));
  std::vector<double> loss, left;
  for (const Kept& seen : runs.by_size) {
    loss.push_back(loss_of(*seen));
    left.push_back((none - loss.back()) / gain);
  }
  out.loss = list_of(std::move(loss)), out.loss_kept = list_of(std::move(left));
  out.loss_by_window.shape = out.window_kept.shape = {windows, groups};
  for (std::size_t w = 0; w < windows; ++w) {
    const double without = mean(runs.none->loss[w]), own_gain = gain_of(runs.own().loss[w], runs.none->loss[w]);
    for (const Kept& seen : runs.by_size) {
      out.loss_by_window.data.push_back(mean(seen->loss[w]));
      out.window_kept.data.push_back((without - out.loss_by_window.data.back()) / own_gain);
    }
  }
  out.loss_none = {none, "all rows of wpe are 0"};
}

void add_copying(Output& out, const Runs& runs, const Texts& texts) {
  const double own = runs.own().copying, none = runs.none->copying;
  std::vector<double> right, left;
  for (const Kept& seen : runs.by_size) {
    right.push_back(seen->copying);
    left.push_back(kept(seen->copying, own, none));
  }
  const std::string how = std::to_string(texts.copied) + " random tokens twice, mean over the second time";
  const std::string few = "the model reads too few tokens to repeat any";
  out.copying_own = number(own, how, few), out.copying_none = number(none, how, few);
  out.copying = list_of(std::move(right)), out.copying_kept = list_of(std::move(left));
}

std::size_t likeliest(const std::vector<float>& next) {
  return static_cast<std::size_t>(std::ranges::max_element(next) - next.begin());
}

void add_answer(Output& out, const Runs& runs, const std::string& token) {
  const std::size_t at = likeliest(runs.own().next);
  const auto of = [&](const Seen& seen) { return static_cast<double>(seen.next[at]); };
  out.token = list_of({static_cast<double>(at)});
  std::vector<double> p, left;
  for (const Kept& seen : runs.by_size) {
    p.push_back(of(*seen));
    left.push_back(kept(p.back(), p.front(), of(*runs.none)));
  }
  out.answer_own = {p.front(), "of “" + token + "”"};
  out.answer_none = {of(*runs.none), "of “" + token + "”"};
  out.answer = list_of(std::move(p)), out.answer_kept = list_of(std::move(left));
}

void add_heads(Output& out, const Runs& runs, std::size_t layers, std::size_t heads) {
  out.previous.shape = {runs.sizes.size(), layers, heads}, out.layer_previous.shape = {runs.sizes.size(), layers};
  for (const Kept& seen : runs.by_size) {
    const std::vector<double> all = over_windows(seen->previous);
    out.previous.data.insert(out.previous.data.end(), all.begin(), all.end());
    for (std::size_t layer = 0; layer < layers; ++layer) {
      const auto from = all.begin() + static_cast<std::ptrdiff_t>(layer * heads);
      out.layer_previous.data.push_back(mean({from, from + static_cast<std::ptrdiff_t>(heads)}));
    }
  }
  out.previous_none = {{layers, heads}, over_windows(runs.none->previous)};
}

std::vector<double> pattern_of(const Seen& seen, const Head& head, std::size_t crop) {
  const auto from = seen.patterns.begin() + static_cast<std::ptrdiff_t>(head.at() * crop * crop);
  return {from, from + static_cast<std::ptrdiff_t>(crop * crop)};
}

void add_head(Output& out, const Runs& runs, const Texts& texts, const Head& head) {
  const std::size_t crop = texts.crop();
  const double none = out.previous_none.data[head.at()];
  std::vector<double> here, left;
  out.pattern.shape = {runs.sizes.size(), crop, crop};
  for (std::size_t i = 0; i < runs.sizes.size(); ++i) {
    here.push_back(out.previous.data[i * out.previous_none.data.size() + head.at()]);
    left.push_back(kept(here.back(), here.front(), none));
    const std::vector<double> part = pattern_of(*runs.by_size[i], head, crop);
    out.pattern.data.insert(out.pattern.data.end(), part.begin(), part.end());
  }
  out.head_previous = list_of(std::move(here)), out.head_kept = list_of(std::move(left));
  out.layer = {static_cast<double>(head.layer), "counted from 0"};
  out.head = {static_cast<double>(head.head), "counted from 0"};
  out.own_previous = {out.head_previous.data.front(), "mean over tokens from position 2 on"};
  out.none_previous = {none, "all rows of wpe are 0"};
  double even = 0;
  for (std::size_t query = 2; query < texts.longest(); ++query) even += 1 / static_cast<double>(query + 1);
  out.even_previous = {even / static_cast<double>(texts.longest() - 2), "the mean of 1/(query + 1)"};
  out.first_query = {static_cast<double>(texts.first_query), "in the first window"};
}

/// The numbers at the chosen group size, and up to which size nearly all is left.
void add_chosen(Output& out, const Runs& runs, const Params& params) {
  const std::size_t asked = std::min(static_cast<std::size_t>(params.group), runs.sizes.back());
  const auto at = static_cast<std::size_t>(std::ranges::find(runs.sizes, asked) - runs.sizes.begin());
  const std::string groups = "groups of " + std::to_string(asked);
  out.group = {static_cast<double>(asked),
               asked == static_cast<std::size_t>(params.group) ? "" : "all tokens but the first"};
  out.group_previous = {out.head_previous.data[at], groups};
  out.head_left =
      number(out.head_kept.data[at], groups, "positions add nothing to this head's attention to the previous token");
  out.loss_own = {out.loss.data.front(), "mean over windows"}, out.loss_group = {out.loss.data[at], groups};
  out.loss_left = number(out.loss_kept.data[at], groups, "positions take no more off the loss than chance");
  out.copying_group = number(out.copying.data[at], groups, out.copying_own.note);
  out.answer_group = {out.answer.data[at], groups};
  const bool any = std::isfinite(out.loss_left.value) || std::isfinite(out.head_left.value);
  out.holds_to.note = kNothing, out.breaks_at.note = kNothing;
  if (std::isfinite(out.loss_left.value)) out.breaks_at.note = "no group size does";
  bool holds = any;
  for (std::size_t i = 0; i < runs.sizes.size(); ++i) {
    const double loss = out.loss_kept.data[i], head = out.head_kept.data[i], size = static_cast<double>(runs.sizes[i]);
    holds = holds && !(loss < kLittle) && !(head < kLittle);
    if (holds) out.holds_to = {size, percent_text(kLittle, 0) + " or more, of the loss and of the head's attention"};
    if (loss < kBroken && !std::isfinite(out.breaks_at.value))
      out.breaks_at = {size, "less than " + percent_text(kBroken, 0) + " is left"};
  }
}

void add_masks(Output& out, const Runs& runs, const Texts& texts, const Head& head) {
  for (std::size_t depth = 0; depth < runs.masked.size(); ++depth) {
    out.depth.data.push_back(static_cast<double>(depth));
    out.masked.data.push_back(runs.masked[depth]->at_every.front()[head.at()]);
    out.others.data.push_back(runs.masked[depth]->at_others.front()[head.at()]);
  }
  for (protocol::Grid* grid : {&out.depth, &out.masked, &out.others}) grid->shape = {runs.masked.size()};
  const std::string layers =
      head.layer == 0 ? "no layer before" : "masked in layers before " + std::to_string(head.layer);
  out.masked_previous = number(out.masked.data.back(), layers, "no token is hidden in a window so short");
  out.others_previous = number(out.others.data.back(), layers, "it is hidden from every token");
  out.masked_pattern = {{texts.crop(), texts.crop()}, pattern_of(*runs.masked.back(), head, texts.crop())};
}

void describe_run(Output& out, const Texts& texts, const Params& params, Context& context) {
  const std::size_t windows = texts.windows.size();
  out.tokens = texts.tokens;
  for (const Edit& edit : context.inputs().subject.edits)
    if (edit.on) out.edits.push_back(edit.spec);
  context.notes(texts.notes);
  out.window = {static_cast<double>(texts.longest()), "BOS included"};
  out.windows = {static_cast<double>(windows), texts.of};
  out.every = {static_cast<double>(params.every), ""};
  out.before = params.averaged == Averaged::extended
                   ? protocol::Quantity{static_cast<double>(params.before), "counted from 0"}
                   : protocol::Quantity{.note = "the table itself is averaged"};
  out.convention = texts.of + ", " + std::to_string(windows) + (windows == 1 ? " window of " : " windows of ") +
                   std::to_string(texts.longest()) + " tokens, " +
                   (context.inputs().subject.bos ? "with BOS" : "no BOS") + ", row 0 kept, " +
                   (params.averaged == Averaged::table
                        ? "rows of wpe averaged"
                        : "extended positions averaged before layer " + std::to_string(params.before));
  if (!out.edits.empty()) out.convention += ", edits: " + join(out.edits, ", ");
}

Task<Expected<Output>> compute(Params params, Context& context) {
  const auto texts = co_await texts_of(params, &context);
  if (!texts) co_return texts.error();
  const checkpoint::Config& config = context.inputs().network->config();
  if (params.before >= static_cast<int>(config.n_layer)) {
    params.before = static_cast<int>(config.n_layer) - 1;
    if (params.averaged == Averaged::extended)
      context.note(say("note.last_layer", {{"layer", std::to_string(params.before)}}));
  }
  auto runs = co_await run_sizes(&context, &*texts, params);
  if (!runs) co_return runs.error();
  Output out;
  describe_run(out, *texts, params, context);
  const auto token = static_cast<std::int32_t>(likeliest(runs->own().next));
  const std::string text = token_text(context.inputs(), token);
  add_loss(out, *runs), add_copying(out, *runs, *texts), add_answer(out, *runs, text);
  add_heads(out, *runs, config.n_layer, config.n_head);
  const Head head = head_of(params, out, context);
  add_head(out, *runs, *texts, head);
  add_chosen(out, *runs, params);
  out.masked_previous.note = out.others_previous.note = "being computed";
  context.first_picture(out);
  if (const auto ok = co_await run_masks(&context, &*texts, params.every, head.layer, &*runs); !ok)
    co_return ok.error();
  add_masks(out, *runs, *texts, head);
  const bool repeats = context.inputs().subject.prompt == repeat_prompt().substr(repeat_prompt().find("prompt=") + 7);
  out.claims = claims(params, out, text, repeats);
  co_return std::move(out);
}

}  // namespace

ComputeStudy compute_study() { return study_of<describe, compute>(); }

}  // namespace helix::studies::averaged_positions
