#include "cli/opened.h"

#include <filesystem>
#include <numeric>
#include <system_error>

#include "base/target.h"
#include "base/text.h"
#include "model/open_tokenizer.h"
#include "model/read_file.h"

namespace helix::cli {
namespace {

constexpr std::uint64_t kMaxPromptBytes = 100'000'000, kMaxTrainingBytes = 100'000'000;

Expected<void> make_network(Opened& opened, std::size_t threads) {
  studies::Inputs& inputs = opened.inputs;
  const auto weights = std::shared_ptr<model::WeightFile>(opened.file, &opened.file->weights());
  auto network = model::Network::make(weights, opened.file->config(), opened.file->name(), inputs.subject.precision);
  if (!network) {
    inputs.no_network = network.error().sentence;
    return {};
  }
  if (const auto loaded = opened.file->load((*network)->unread()); !loaded) return loaded.error();
  (*network)->run_on(std::make_shared<kernels::Threads>(threads));
  inputs.network = std::move(*network);
  inputs.session = std::make_shared<model::Session>();
  return {};
}

void read_training(Opened& opened) {
  studies::Inputs& inputs = opened.inputs;
  const std::filesystem::path path = opened.file->folder() / model::kEmergenceFile;
  std::error_code error;
  if (!std::filesystem::exists(path, error)) {
    inputs.no_training =
        "The model " + opened.file->name() + " has no " + model::kEmergenceFile + " beside its weights.";
    return;
  }
  const auto bytes = model::read_text_file(path, kMaxTrainingBytes);
  auto read = bytes ? model::Emergence::read(*bytes, opened.file->name()) : bytes.error();
  if (read)
    inputs.training = std::make_shared<const model::Emergence>(std::move(*read));
  else
    inputs.no_training = read.error().sentence;
}

}  // namespace

Expected<Subject> subject_from(const Options& options) {
  Subject subject;
  const bool prompt = !options.all("prompt").empty(), file = !options.all("prompt-file").empty(),
             tokens = !options.all("tokens").empty();
  if (prompt + file + tokens > 1) return Error{"Give one of --prompt, --prompt-file and --tokens."};
  if (prompt) subject.prompt = options.get("prompt");
  if (file) {
    auto text = model::read_text_file(options.get("prompt-file"), kMaxPromptBytes);
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
  subject.bos = options.has("bos");
  subject.keep_last = options.has("keep-last");
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
  auto file = model::ModelFile::open(path);
  if (!file) return file.error();
  Opened opened;
  opened.file = std::make_shared<model::ModelFile>(std::move(*file));
  studies::Inputs& inputs = opened.inputs;
  inputs.weights = std::shared_ptr<const model::WeightFile>(opened.file, &opened.file->weights());
  inputs.provenance.model = opened.file->name();
  inputs.provenance.kernels = target_name();
  inputs.provenance.version = version_name();
  inputs.subject = subject;
  if (runs_model(reads))
    if (const auto made = make_network(opened, threads); !made) return made.error();
  if (reads == Reads::training) read_training(opened);
  if (!reads_prompt(reads)) return opened;
  auto tokenizer = model::open_tokenizer(opened.file->path());
  if (tokenizer)
    inputs.tokenizer = std::make_shared<const model::Tokenizer>(std::move(*tokenizer));
  else
    inputs.no_tokenizer = tokenizer.error().sentence;
  return opened;
}

Expected<Opened> open_model(const Options& options, const Subject& subject, Reads reads, std::size_t threads) {
  auto opened = open_model(options.get("model"), subject, reads, threads);
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
