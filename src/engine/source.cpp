#include "engine/source.h"

#include <algorithm>
#include <utility>

#include "model/config.h"
#include "model/quantised.h"
#include "studies/prompt_compute.h"

namespace helix::engine {

Source::Source(protocol::Open open) : info(std::move(open)), file(std::make_shared<model::WeightFile>(info.model)) {}

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
  const bool record = name == model::kEmergenceFile;
  const bool read = record ? training != nullptr : tokenizer != nullptr;
  if (read && beside.answered && beside.failure.empty()) return;  // it came twice
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

bool Source::settle_tokenizer() {
  if (tokenizer || !no_tokenizer.empty()) return true;
  Beside &vocabulary = files[kVocabulary], &merges = files[kMerges];
  if (!vocabulary.answered || !merges.answered) return false;
  for (const Beside* beside : {&vocabulary, &merges})
    if (no_tokenizer.empty()) no_tokenizer = beside->failure;
  if (!no_tokenizer.empty()) return true;
  auto read = model::Tokenizer::read(vocabulary.text, merges.text, info.model);
  if (read)
    tokenizer = std::make_shared<const model::Tokenizer>(std::move(*read));
  else
    no_tokenizer = read.error().sentence;
  vocabulary.text = {}, merges.text = {};
  return true;
}

bool Source::settle_training() {
  if (training || !no_training.empty()) return true;
  Beside& record = files[model::kEmergenceFile];
  if (!record.answered) return false;
  auto read = record.failure.empty() ? model::Emergence::read(record.text, info.model) : Error{record.failure};
  if (read)
    training = std::make_shared<const model::Emergence>(std::move(*read));
  else
    no_training = read.error().sentence;
  record.text = {};
  return true;
}

Precision Source::runs_in(Precision asked) const {
  return file->header() && model::holds_q8(*file->header()) ? Precision::q8 : asked;
}

const Source::Network& Source::network_for(Precision asked) const {
  return networks[static_cast<std::size_t>(runs_in(asked))];
}

void Source::make_network(Precision precision, const std::shared_ptr<kernels::Threads>& threads) {
  Network& own = networks[static_cast<std::size_t>(precision)];
  if (own.network) return;
  const Network& floats = networks[static_cast<std::size_t>(Precision::f32)];
  if (precision == Precision::q8 && floats.network && floats.network->begun()) {
    own = {model::Network::quantised(floats.network), std::make_shared<model::Session>()};
    return;
  }
  if (!no_network.empty() || !file->header()) return;
  const std::optional<std::string_view> config_json =
      info.config_json.empty() ? std::nullopt : std::optional<std::string_view>(info.config_json);
  const auto config = model::make_config(*file->header(), config_json, info.model);
  auto made = config ? model::Network::make(file, *config, info.model, precision)
                     : Expected<std::shared_ptr<model::Network>>(config.error());
  if (!made) {
    no_network = made.error().sentence;
    return;
  }
  (*made)->run_on(threads);
  own = {std::move(*made), std::make_shared<model::Session>()};
}

const Source::Prompt& Source::prompt_of(const Subject& subject, const std::shared_ptr<model::Network>& network) {
  if (prompt_.subject == subject && prompt_.network == network && prompt_.tokenizer == tokenizer &&
      prompt_.no_tokenizer == no_tokenizer)
    return prompt_;
  prompt_ = {subject, network, tokenizer, no_tokenizer, std::nullopt};
  studies::Inputs inputs;
  inputs.subject = subject, inputs.tokenizer = tokenizer, inputs.no_tokenizer = no_tokenizer;
  if (auto read = studies::read_prompt(inputs, network->config().n_ctx)) prompt_.ids = std::move(read->ids);
  return prompt_;
}

bool Source::settle_network(const Subject& subject, Reads reads, const std::shared_ptr<kernels::Threads>& threads) {
  const Precision precision = runs_in(subject.precision);
  make_network(precision, threads);
  const auto& network = networks[static_cast<std::size_t>(precision)].network;
  if (!network) return true;  // why there is none is the study's to say
  model::PassNeeds need{reads != Reads::layers, {}};
  if (runs_prompt(reads)) {
    const auto& ids = prompt_of(subject, network).ids;
    const bool vocabulary_known = tokenizer || !no_tokenizer.empty();
    if (!ids && vocabulary_known) return true;  // nothing runs, so nothing is loaded for it
    if (ids) need.tokens = *ids;
  }
  const std::vector<std::string> names = network->unread(need);
  const std::vector<std::size_t> rows = network->unread_rows(need);
  file->want(names);
  file->want_rows(model::Network::kEmbedding, rows);
  const auto here = [&](const std::string& name) { return !file->header()->find(name) || file->has(name); };
  return std::ranges::all_of(names, here) &&
         std::ranges::all_of(rows, [&](std::size_t row) { return file->has_row(model::Network::kEmbedding, row); });
}

protocol::Opened Source::describe() const {
  protocol::Opened out;
  out.model = info.model;
  const model::Header& header = *file->header();
  out.file_bytes = header.file_bytes;
  if (const model::TensorInfo* wpe = header.find("wpe.weight")) out.precision = wpe->dtype_name;
  if (model::holds_q8(header)) out.precision = model::kQ8Name;
  const std::optional<std::string_view> config_json =
      info.config_json.empty() ? std::nullopt : std::optional<std::string_view>(info.config_json);
  const auto config = model::make_config(header, config_json, info.model);
  if (!config) return out;  // its sentence comes when a study needs what is wrong
  out.n_layer = static_cast<std::int64_t>(config->n_layer), out.n_head = static_cast<std::int64_t>(config->n_head);
  out.d_model = static_cast<std::int64_t>(config->d_model), out.n_ctx = static_cast<std::int64_t>(config->n_ctx);
  out.n_vocab = static_cast<std::int64_t>(config->n_vocab);
  const model::Parts parts = model::parts_of(header, *config);
  out.has_positions = parts.positions;
  out.missing = parts.missing_parts;
  return out;
}

}  // namespace helix::engine
