#include "model/edits.h"

#include <algorithm>
#include <array>

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

/// Adds one edit to what a pass does; its text is the key of what it changes.
struct Adding {
  const std::string& spec;
  const ParsedEdit& edit;
  const std::shared_ptr<Network>& network;
  const EditedText& text;
  Interventions& out;

  Task<Expected<void>> operator()(OnPositions) const {
    before_layers();
    co_return Expected<void>();
  }
  Task<Expected<void>> operator()(WithoutMask) const {
    out.causal = false;
    before_layers();
    co_return Expected<void>();
  }
  Task<Expected<void>> operator()(OnBiases effect) const {
    out.biases.push_back({edit.first_layer,
                          [change = effect.change, edit = edit](std::span<float> biases) { change(edit, biases); },
                          spec});
    co_return Expected<void>();
  }
  Task<Expected<void>> operator()(InPass effect) const {
    add(effect.change(edit, network->config()));
    co_return Expected<void>();
  }
  Task<Expected<void>> operator()(FromRun effect) const {
    auto change = co_await effect.change(edit, network, text);
    if (!change) co_return change.error();
    add(std::move(*change));
    co_return Expected<void>();
  }

  void add(Change change) const {
    out.looks_ahead |= change.looks_ahead;
    out.frozen = std::max(out.frozen, change.frozen);
    for (Tap& tap : change.taps) {
      tap.key.insert(0, spec);
      out.taps.push_back(std::move(tap));
    }
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

std::vector<std::int32_t> tokens_of_edits(const Edits& edits, const EditedText& text) {
  std::vector<std::int32_t> all;
  for (const auto& [spec, edit] : edits)
    if (const auto* effect = std::get_if<FromRun>(&effect_of(edit)))
      if (const auto tokens = effect->tokens(edit, text)) all.insert(all.end(), tokens->begin(), tokens->end());
  return all;
}

Task<Expected<Interventions>> interventions(std::shared_ptr<Network> network, Edits edits, EditedText text) {
  Interventions out;
  for (const auto& [spec, edit] : edits) {
    const Adding adding{spec, edit, network, text, out};
    if (const auto added = co_await std::visit(adding, effect_of(edit)); !added) co_return added.error();
  }
  out.positions = co_await edited_positions(network, std::move(edits));
  co_return out;
}

}  // namespace helix::model
