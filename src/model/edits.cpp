#include "model/edits.h"

#include <algorithm>
#include <array>
#include <set>

#include "model/edits/effect.h"

namespace helix::model {
namespace {

const Effect& effect_of(const ParsedEdit& edit) {
  static const std::array all{
#define EDIT(name) effects::name(),
#include "base/edits/edits.def"
#undef EDIT
  };
  return all[static_cast<std::size_t>(edit.kind)];
}

EditRoom room_of(const checkpoint::Config& config, std::size_t n_tokens) {
  return {config.n_layer, config.n_head, config.n_ctx, n_tokens};
}

/// Adds one edit to what a pass does, and its text to the key of each part of the pass that it changes.
struct Adding {
  const std::string& spec;
  const ParsedEdit& edit;
  const checkpoint::Config& config;
  Interventions& out;

  void operator()(const OnPositions&) const { before_layers(); }
  void operator()(const WithoutMask&) const {
    out.causal = false;
    before_layers();
  }
  void operator()(const OnBiases& effect) const {
    out.biases.push_back({edit.first_layer, [change = effect.change, edit = edit](std::span<float> biases) {
                            change(edit, biases);
                          }});
    out.keys[edit.first_layer] += spec + ";";
  }
  void operator()(const InPass& effect) const {
    Change change = effect.change(edit, config);
    out.looks_ahead |= change.looks_ahead;
    std::set<std::size_t> layers;
    bool before = false;
    for (Tap& tap : change.taps) {
      if (in_layers(tap.hook.kind))
        layers.insert(tap.hook.layer);
      else
        before = true;
      out.taps.push_back(std::move(tap));
    }
    if (before) before_layers();
    for (const std::size_t layer : layers) out.keys[layer] += spec + ";";
  }
  void before_layers() const { out.embedding += spec + ";"; }
};

}  // namespace

Expected<void> check_edits(const Edits& edits, const checkpoint::Config& config, std::size_t n_tokens) {
  const EditRoom room = room_of(config, n_tokens);
  double shifted = 0;
  for (const auto& [spec, edit] : edits) {
    if (const auto fits = check_edit(spec, edit, room, shifted); !fits) return fits.error();
    shifted += rows_shifted(edit);
  }
  return {};
}

std::vector<std::string> idle_notes(const Edits& edits, const checkpoint::Config& config, std::size_t n_tokens) {
  std::vector<std::string> notes;
  for (const auto& [spec, edit] : edits)
    if (std::string note = idle_note(spec, edit, room_of(config, n_tokens)); !note.empty())
      notes.push_back(std::move(note));
  return notes;
}

Task<std::shared_ptr<const Matrix<float>>> edited_positions(std::shared_ptr<Network> network, Edits edits) {
  std::erase_if(edits, [](const auto& edit) { return !std::holds_alternative<OnPositions>(effect_of(edit.second)); });
  if (edits.empty()) co_return nullptr;
  std::string name = "positions after ";
  for (const auto& [spec, edit] : edits) name += spec + ";";
  if (auto kept = network->kept().find(name)) co_return kept;
  const MatrixView<const float> learned = network->positions();
  Matrix<double> rows(learned.rows, learned.cols);
  std::copy_n(learned.data, rows.data.size(), rows.data.begin());
  for (const auto& [spec, edit] : edits) {
    rows = co_await std::get<OnPositions>(effect_of(edit)).change(std::move(rows), edit);
    co_await pause_point();
  }
  auto table = std::make_shared<Matrix<float>>(rows.rows, rows.cols);
  std::ranges::transform(rows.data, table->data.begin(), [](double x) { return static_cast<float>(x); });
  network->kept().keep(std::move(name), table);
  co_return table;
}

Task<Interventions> interventions(std::shared_ptr<Network> network, Edits edits) {
  Interventions out;
  out.keys.resize(network->config().n_layer);
  for (const auto& [spec, edit] : edits) std::visit(Adding{spec, edit, network->config(), out}, effect_of(edit));
  out.positions = co_await edited_positions(network, std::move(edits));
  co_return out;
}

}  // namespace helix::model
