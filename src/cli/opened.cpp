#include "cli/opened.h"

#include <algorithm>
#include <numeric>

#include "base/target.h"
#include "base/text.h"
#include "checkpoint/read_file.h"
#include "cli/system.h"
#include "tokenizer/open_tokenizer.h"

namespace helix::cli {
namespace {

constexpr std::uint64_t kMaxPromptBytes = 100'000'000, kMaxTrainingBytes = 100'000'000;

Expected<void> make_network(Opened& opened, std::size_t threads) {
  studies::Inputs& inputs = opened.inputs;
  const auto weights = std::shared_ptr<checkpoint::WeightFile>(opened.file, &opened.file->weights());
  auto network = model::Network::make(weights, opened.file->config(), opened.file->name(), inputs.subject.precision);
  if (!network) {
    inputs.no_network = network.error().sentence;
    return {};
  }
  if (const auto loaded = opened.file->load((*network)->unread()); !loaded) return loaded.error();
  (*network)->run_on(std::make_shared<kernels::Threads>(threads));
  if (const std::size_t got = (*network)->threads().count(); got < threads)
    warn("The system provided " + std::to_string(got) + (got == 1 ? " thread" : " threads") + " of the " +
         std::to_string(threads) + " requested; the numbers are the same.");
  inputs.network = std::move(*network);
  inputs.session = std::make_shared<model::Sessions>();
  return {};
}

void read_training(Opened& opened) {
  studies::Inputs& inputs = opened.inputs;
  const auto bytes = opened.file->read_beside(checkpoint::kEmergenceFile, kMaxTrainingBytes);
  if (bytes && !*bytes) {
    inputs.no_training =
        "The model " + opened.file->name() + " has no " + checkpoint::kEmergenceFile + " beside its weights.";
    return;
  }
  auto read = bytes ? checkpoint::Emergence::read(**bytes, opened.file->name()) : bytes.error();
  if (read)
    inputs.training = std::make_shared<const checkpoint::Emergence>(std::move(*read));
  else
    inputs.no_training = read.error().sentence;
}

/// What is read beside the weights.
Expected<void> make_ready(Opened& opened, const studies::ModelNeeds& needs, std::size_t threads) {
  const Reads reads = needs.reads;
  studies::Inputs& inputs = opened.inputs;
  if (runs_model(reads) && !inputs.network && inputs.no_network.empty())
    if (const auto made = make_network(opened, threads); !made) return made.error();
  if (reads == Reads::training) read_training(opened);
  if (!needs.wants_tokenizer() || inputs.tokenizer) return {};
  auto tokenizer = tokenizer::open_tokenizer(*opened.file);
  if (tokenizer)
    inputs.tokenizer = std::make_shared<const tokenizer::Tokenizer>(std::move(*tokenizer));
  else
    inputs.no_tokenizer = tokenizer.error().sentence;
  return {};
}

std::optional<studies::ModelSize> size_of(const Opened* opened) {
  if (!opened) return std::nullopt;
  const checkpoint::Config& c = opened->file->config();
  return studies::ModelSize{c.n_layer, c.n_head, c.d_model, c.n_ctx, c.n_vocab};
}

Opened* find(std::vector<Opened>& models, const std::string& name) {
  const auto it = std::ranges::find_if(models, [&](const Opened& m) { return m.file->name() == name; });
  return it == models.end() ? nullptr : &*it;
}

Error not_given(const studies::ModelNeeds& needs) {
  if (!needs.model.empty())
    return {"The model " + in_quotes(needs.model) + " was not given; add it with --model PATH."};
  return {"This needs a model" + (needs.tensors.empty() ? "" : " (" + join(needs.tensors, ", ") + ")") +
          ": give one with --model PATH."};
}

/// Rows of a tensor are read by reading all of it: a local disk is fast enough.
Expected<studies::ModelInputs> load(const studies::ModelNeeds& needs, Opened* opened, std::size_t threads) {
  if (!opened) return not_given(needs);
  if (const auto ready = make_ready(*opened, needs, threads); !ready) return ready.error();
  const std::vector<std::string> tensors = studies::tensors_of(needs);
  if (const auto loaded = opened->file->load(tensors); !loaded) return loaded.error();
  const studies::Inputs& own = opened->inputs;
  const auto weights = std::shared_ptr<checkpoint::WeightFile>(opened->file, &opened->file->weights());
  return studies::ModelInputs{needs.model,    "",
                              own.weights,    opened->sha256,
                              own.tokenizer,  own.no_tokenizer,
                              own.network,    own.session,
                              own.no_network, std::make_shared<const checkpoint::Pinned>(weights, tensors)};
}

/// A model that is unavailable: a sentence in its place.
studies::ModelInputs not_there(const std::string& name, const std::string& why) {
  studies::ModelInputs inputs;
  inputs.name = name, inputs.why_not = why;
  return inputs;
}

}  // namespace

Expected<studies::Inputs> inputs_for(const studies::ComputeStudy& study, const ParamValues& params,
                                     std::vector<Opened>& models, std::size_t threads) {
  const std::string own = models.empty() ? "" : models.front().file->name();
  const studies::Known known{[&](const std::string& name) { return size_of(find(models, name)); },
                             [&] {
                               auto prompt = models.empty() ? Expected<studies::Prompt>(Error{""})
                                                            : studies::read_prompt(models.front().inputs, 0);
                               return prompt ? std::move(prompt->ids) : std::vector<std::int32_t>();
                             }};
  std::vector<studies::ModelInputs> loaded;
  for (const studies::ModelNeeds& needs : studies::all_needs(study, params, own, known)) {
    auto one = load(needs, find(models, needs.model), threads);
    if (!one && !needs.optional) return one.error();
    loaded.push_back(one ? std::move(*one) : not_there(needs.model, one.error().sentence));
  }
  studies::Inputs inputs;
  if (!models.empty()) {
    inputs = models.front().inputs;
    inputs.size = size_of(&models.front());
    inputs.provenance.sha256 = models.front().sha256;
  }
  inputs.provenance.kernels = target_name();
  inputs.provenance.version = version_name();
  inputs.models = std::move(loaded);
  return inputs;
}

namespace {

bool names_text(const std::string& option) {
  return option == "prompt" || option == "prompt-file" || option == "tokens";
}

}  // namespace

Expected<std::vector<Subject>> subjects_from(const Options& options, const Subject& subject) {
  std::vector<Subject> all;
  for (const auto& text : options.values) {
    if (!names_text(text.first)) continue;
    Options one = options;
    std::erase_if(one.values, [](const auto& value) { return names_text(value.first); });
    one.values.push_back(text);
    auto made = subject_from(one, subject);
    if (!made) return made.error();
    all.push_back(std::move(*made));
  }
  if (!all.empty()) return all;
  auto only = subject_from(options, subject);
  if (!only) return only.error();
  return std::vector<Subject>{std::move(*only)};
}

Expected<Subject> subject_from(const Options& options, Subject subject) {
  if (std::ranges::count_if(options.values, [](const auto& value) { return names_text(value.first); }) > 1)
    return Error{"Give one text: one of --prompt, --prompt-file and --tokens, once."};
  const bool prompt = !options.all("prompt").empty(), file = !options.all("prompt-file").empty(),
             tokens = !options.all("tokens").empty();
  if (prompt || file || tokens) subject.tokens.clear();
  if (prompt) subject.prompt = options.get("prompt");
  if (file) {
    auto text = checkpoint::read_text_file(options.get("prompt-file"), kMaxPromptBytes);
    if (!text) return text.error();
    subject.prompt = std::move(*text);
  }
  if (tokens)
    for (const std::string& word : split(options.get("tokens"), ',')) {
      const auto id = parse_int(word);
      if (!id || *id < 0)
        return Error{"--tokens takes token ids with commas between them, not " + in_quotes(word) + "."};
      subject.tokens.push_back(*id);
    }
  if (const std::string given = options.get("precision"); !given.empty()) {
    if (given != kPrecisionNames[0] && given != kPrecisionNames[1])
      return Error{"--precision takes f32 or q8, not " + in_quotes(given) + "."};
    subject.precision = given == kPrecisionNames[1] ? Precision::q8 : Precision::f32;
  }
  if (options.has("bos")) subject.bos = true;
  if (options.has("keep-last")) subject.keep_last = true;
  if (!options.all("edit").empty()) subject.edits.clear();
  for (const std::string& spec : options.all("edit")) subject.edits.push_back({spec, true});
  return subject;
}

Expected<std::size_t> threads_from(const Options& options) {
  const std::string given = options.get("threads");
  if (given.empty()) return std::size_t{1};
  const auto count = parse_int(given);
  if (!count || *count < 1 || static_cast<std::size_t>(*count) > kernels::Threads::kMost)
    return Error{"--threads takes a number from 1 to " + std::to_string(kernels::Threads::kMost) + ", not " +
                 in_quotes(given) + "."};
  return static_cast<std::size_t>(*count);
}

Expected<Opened> open_model(const std::string& path, const Subject& subject, Reads reads, std::size_t threads) {
  auto file = checkpoint::ModelFile::open(path);
  if (!file) return file.error();
  Opened opened;
  opened.file = std::make_shared<checkpoint::ModelFile>(std::move(*file));
  studies::Inputs& inputs = opened.inputs;
  inputs.weights = std::shared_ptr<const checkpoint::WeightFile>(opened.file, &opened.file->weights());
  inputs.provenance.model = opened.file->name();
  inputs.provenance.kernels = target_name();
  inputs.provenance.version = version_name();
  inputs.subject = subject;
  if (const auto ready = make_ready(opened, {"", {}, {}, reads}, threads); !ready) return ready.error();
  return opened;
}

Expected<std::vector<std::string>> model_paths(const Options& options) {
  std::vector<std::string> paths = options.all("model");
  const std::string control = options.get("control");
  if (control.empty()) return paths;
  auto name = parse_control(std::string(kControlPrefix) + control);
  if (!name || !name->base.empty())
    return Error{"--control takes KIND:SEED, walk, rows, noise or weights and a whole number, such as walk:3, not " +
                 in_quotes(control) + "."};
  if (paths.empty()) return Error{"--control is made from a model: give one with --model PATH."};
  name->base = paths.front();
  paths.front() = to_text(*name);
  return paths;
}

Expected<Opened> open_model(const Options& options, const Subject& subject, Reads reads, std::size_t threads) {
  const auto paths = model_paths(options);
  if (!paths) return paths.error();
  auto opened = open_model(paths->empty() ? std::string() : paths->front(), subject, reads, threads);
  if (!opened || options.get("precision") != kPrecisionNames[0] || !opened->inputs.network) return opened;
  if (opened->inputs.network->precision() == Precision::f32) return opened;
  return Error{"The weights of " + in_quotes(opened->file->name()) +
               " are stored as 8-bit integers and run as such; leave --precision f32 out, or open the model that they "
               "were made from."};
}

Expected<Matrix<float>> logits_of(const std::shared_ptr<model::Network>& network, std::vector<std::int32_t> tokens) {
  model::Asked asked;
  asked.tokens = std::move(tokens);
  asked.logits_at.resize(asked.tokens.size());
  std::iota(asked.logits_at.begin(), asked.logits_at.end(), std::size_t{0});
  return run_to_end(model::forward(network, std::make_shared<model::Session>(), std::move(asked)));
}

}  // namespace helix::cli
