#include "engine/source.h"

#include <algorithm>
#include <utility>

#include "checkpoint/config.h"
#include "checkpoint/quantised.h"
#include "studies/prompt_compute.h"

namespace helix::engine {

Source::Source(protocol::Open open)
    : info(std::move(open)), file(std::make_shared<checkpoint::WeightFile>(info.model)) {
  if (auto control = is_control(info.model) ? parse_control(info.model) : Expected<ControlName>(Error{}); control)
    file->become(checkpoint::Control(*std::move(control)));
}

std::vector<ByteRange> Source::take_unrequested() {
  std::vector<ByteRange> fresh;
  for (const ByteRange& wanted : file->missing())
    for (const ByteRange& gap : requested.gaps(wanted)) fresh.push_back(gap);
  for (const ByteRange& r : fresh) requested.add(r);
  return fresh;
}

namespace {

constexpr const char *kVocabulary = "vocab.json", *kMerges = "merges.txt";

}  // namespace

std::vector<std::string> Source::take_unrequested_files() {
  std::vector<std::string> names;
  for (auto& [name, beside] : files)
    if (!std::exchange(beside.requested, true)) names.push_back(name);
  return names;
}

void Source::take_file(const std::string& name, std::string text, std::string sentence) {
  Beside& beside = files[name];
  const bool record = name == checkpoint::kEmergenceFile;
  const bool read = record ? training != nullptr : tokenizer != nullptr;
  if (read && beside.answered && beside.failure.empty()) return;  // it arrived twice
  beside.requested = beside.answered = true;
  beside.text = std::move(text), beside.failure = std::move(sentence);
  if (record)
    training.reset(), no_training.clear();
  else
    tokenizer.reset(), no_tokenizer.clear();
}

void Source::take_config(const std::string& config_json) {
  if (config_json.empty() || config_json == info.config_json) return;
  info.config_json = config_json;
  announced = false;
  networks = {}, prompt_ = {}, no_network.clear();
}

void Source::forget_failed_files() {
  std::erase_if(files, [](const auto& beside) { return !beside.second.failure.empty(); });
  if (!tokenizer) no_tokenizer.clear();
  if (!training) no_training.clear();
}

bool Source::has_unrequested() const {
  for (const auto& [name, beside] : files)
    if (!beside.requested) return true;
  return std::ranges::any_of(file->missing(), [&](const ByteRange& wanted) { return !requested.gaps(wanted).empty(); });
}

void Source::want_tokenizer() {
  if (has_tokenizer()) return;
  Beside &vocabulary = files[kVocabulary], &merges = files[kMerges];
  if (!vocabulary.answered || !merges.answered) return;
  for (const Beside* beside : {&vocabulary, &merges})
    if (no_tokenizer.empty()) no_tokenizer = beside->failure;
  if (!no_tokenizer.empty()) return;
  auto read = tokenizer::Tokenizer::read(vocabulary.text, merges.text, info.model);
  if (read)
    tokenizer = std::make_shared<const tokenizer::Tokenizer>(std::move(*read));
  else
    no_tokenizer = read.error().sentence;
  vocabulary.text = {}, merges.text = {};
}

void Source::want_training() {
  if (has_training()) return;
  Beside& record = files[checkpoint::kEmergenceFile];
  if (!record.answered) return;
  auto read = record.failure.empty() ? checkpoint::Emergence::read(record.text, info.model) : Error{record.failure};
  if (read)
    training = std::make_shared<const checkpoint::Emergence>(std::move(*read));
  else
    no_training = read.error().sentence;
  record.text = {};
}

Precision Source::runs_in(Precision asked) const {
  return file->header() && checkpoint::holds_q8(*file->header()) ? Precision::q8 : asked;
}

const Source::Network& Source::network_for(Precision asked) const {
  return networks[static_cast<std::size_t>(runs_in(asked))];
}

void Source::make_network(Precision precision, const std::shared_ptr<kernels::Threads>& threads) {
  Network& own = networks[static_cast<std::size_t>(precision)];
  if (own.network) return;
  const Network& floats = networks[static_cast<std::size_t>(Precision::f32)];
  if (precision == Precision::q8 && floats.network && floats.network->begun()) {
    own = {model::Network::quantised(floats.network), std::make_shared<model::Sessions>()};
    return;
  }
  if (!no_network.empty() || !file->header()) return;
  const std::optional<std::string_view> config_json =
      info.config_json.empty() ? std::nullopt : std::optional<std::string_view>(info.config_json);
  const auto config = checkpoint::make_config(*file->header(), config_json, info.model);
  auto made = config ? model::Network::make(file, *config, info.model, precision)
                     : Expected<std::shared_ptr<model::Network>>(config.error());
  if (!made) {
    no_network = made.error().sentence;
    return;
  }
  (*made)->run_on(threads);
  own = {std::move(*made), std::make_shared<model::Sessions>()};
}

const Source::Prompt& Source::prompt_of(const Subject& subject, std::size_t most) const {
  if (prompt_.subject == subject && prompt_.most == most && prompt_.tokenizer == tokenizer &&
      prompt_.no_tokenizer == no_tokenizer)
    return prompt_;
  prompt_ = {subject, most, tokenizer, no_tokenizer, std::nullopt, {}};
  studies::Inputs inputs;
  inputs.subject = subject, inputs.tokenizer = tokenizer, inputs.no_tokenizer = no_tokenizer;
  if (auto read = studies::read_prompt(inputs, most)) prompt_.ids = std::move(read->ids);
  prompt_.of_edits = studies::tokens_of_edits(inputs);
  return prompt_;
}

std::vector<std::int32_t> Source::tokens_of(const Subject& subject) const {
  return prompt_of(subject, 0).ids.value_or(std::vector<std::int32_t>());
}

std::optional<model::PassNeeds> Source::pass_needs(const Subject& subject, const studies::ModelNeeds& study) const {
  const auto& network = network_for(subject.precision).network;
  if (!network) return std::nullopt;
  model::PassNeeds needs{study.reads != Reads::layers, {}};
  if (!runs_prompt(study.reads)) return needs;
  // A study with prompts of its own cuts them from a text that is longer than the context.
  const Prompt& prompt = prompt_of(subject, study.vocabulary ? 0 : network->config().n_ctx);
  if (!prompt.ids && has_tokenizer()) return std::nullopt;  // nothing runs, so nothing is loaded for it
  if (prompt.ids) needs.tokens = *prompt.ids;
  needs.tokens.insert(needs.tokens.end(), prompt.of_edits.begin(), prompt.of_edits.end());
  return needs;
}

void Source::want_network(const Subject& subject, const studies::ModelNeeds& study,
                          const std::shared_ptr<kernels::Threads>& threads) {
  make_network(runs_in(subject.precision), threads);
  const auto needs = pass_needs(subject, study);
  if (!needs) return;
  const auto& network = network_for(subject.precision).network;
  file->want(network->unread(*needs));
  file->want_rows(model::Network::kEmbedding, network->unread_rows(*needs));
}

bool Source::has_network(const Subject& subject, const studies::ModelNeeds& study) const {
  const auto needs = pass_needs(subject, study);
  if (!needs) return true;
  const auto& network = network_for(subject.precision).network;
  const auto here = [&](const std::string& name) { return !file->header()->find(name) || file->has(name); };
  return std::ranges::all_of(network->unread(*needs), here) &&
         std::ranges::all_of(network->unread_rows(*needs),
                             [&](std::size_t row) { return file->has_row(model::Network::kEmbedding, row); });
}

void Source::want(const studies::ModelNeeds& needs, const Subject& subject,
                  const std::shared_ptr<kernels::Threads>& threads) {
  if (needs.wants_tokenizer()) want_tokenizer();
  if (needs.reads == Reads::training) want_training();
  if (runs_model(needs.reads)) want_network(subject, needs, threads);
  file->want(needs.tensors);
  for (const studies::TensorRows& some : needs.rows) file->want_rows(some.tensor, some.rows);
}

Readiness Source::readiness(const studies::ModelNeeds& needs, const Subject& subject) const {
  const Readiness not_yet = failure.empty() ? Readiness::waiting : Readiness::failed;
  if (needs.wants_tokenizer() && !has_tokenizer()) return not_yet;
  if (needs.reads == Reads::training && !has_training()) return not_yet;
  const bool reads_weights = !needs.tensors.empty() || !needs.rows.empty() || runs_model(needs.reads);
  if (!file->header()) return failure.empty() || reads_weights ? not_yet : Readiness::ready;
  const auto there = [&](const std::string& name) { return !file->header()->find(name) || file->has(name); };
  if (!std::ranges::all_of(needs.tensors, there)) return not_yet;
  for (const studies::TensorRows& some : needs.rows) {
    const auto* tensor = file->header()->find(some.tensor);
    const auto here = [&](std::size_t row) {
      return tensor->shape.size() != 2 || row >= tensor->shape[0] || file->has_row(some.tensor, row);
    };
    if (tensor && !std::ranges::all_of(some.rows, here)) return not_yet;
  }
  return runs_model(needs.reads) && !has_network(subject, needs) ? not_yet : Readiness::ready;
}

protocol::Opened Source::describe() const {
  protocol::Opened out;
  out.model = info.model;
  const checkpoint::Header& header = *file->header();
  out.file_bytes = header.file_bytes;
  if (const checkpoint::TensorInfo* wpe = header.find("wpe.weight")) out.precision = wpe->dtype_name;
  if (checkpoint::holds_q8(header)) out.precision = checkpoint::kQ8Name;
  const std::optional<std::string_view> config_json =
      info.config_json.empty() ? std::nullopt : std::optional<std::string_view>(info.config_json);
  const auto config = checkpoint::make_config(header, config_json, info.model);
  if (!config) return out;  // its error is reported when a study needs what is wrong
  out.n_layer = static_cast<std::int64_t>(config->n_layer), out.n_head = static_cast<std::int64_t>(config->n_head);
  out.d_model = static_cast<std::int64_t>(config->d_model), out.n_ctx = static_cast<std::int64_t>(config->n_ctx);
  out.n_vocab = static_cast<std::int64_t>(config->n_vocab);
  const checkpoint::Parts parts = checkpoint::parts_of(header, *config);
  out.has_positions = parts.positions;
  out.missing = parts.missing_parts;
  return out;
}

}  // namespace helix::engine
