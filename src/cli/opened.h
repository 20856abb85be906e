// What verbs open: a checkpoint, its tokenizer, and the network if text is to run through it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/subject.h"
#include "checkpoint/open_file.h"
#include "cli/cli.h"
#include "studies/prompt_compute.h"
#include "studies/registry_compute.h"

namespace helix::cli {

/// Options that say what runs, and how: --prompt, --prompt-file, --tokens, --edit, …, and the flags --bos and
/// --keep-last.
inline const std::vector<std::string> kSubjectOptions{"prompt", "prompt-file", "tokens",
                                                      "edit",   "precision",   "threads"};

/// `subject` with what the options say in place of its own; an error where they give several texts.
Expected<Subject> subject_from(const Options& options, Subject subject = {});
/// One for each text that is given, in their order; `subject` itself if none is. The other options hold for all.
Expected<std::vector<Subject>> subjects_from(const Options& options, const Subject& subject = {});
/// --threads; 1 if it is not given: threads are opt-in.
Expected<std::size_t> threads_from(const Options& options);

/// The models that --model names, the first of them as --control has it: "control:walk:3@PATH" for --control walk:3.
Expected<std::vector<std::string>> model_paths(const Options& options);

struct Opened {
  std::shared_ptr<checkpoint::ModelFile> file;
  helix::studies::Inputs inputs;  // without the provenance's hash
  std::string sha256;             // first digits of the file's hash, if it was computed: that reads the whole file
};

/// `reads` says what to make ready; what is unavailable is a sentence in `inputs`, for the study that needs it.
Expected<Opened> open_model(const std::string& path, const Subject& subject, Reads reads, std::size_t threads = 1);
/// The first of --model; an error where --precision asks for floats and the model's weights are 8-bit integers.
Expected<Opened> open_model(const Options& options, const Subject& subject, Reads reads, std::size_t threads = 1);

/// Loads what a study needs of these models, the first of which is the run's own (there may be none), and returns all
/// that it may read. A model that is needed and not among them is an error, or, if it is optional, a sentence in its
/// place.
Expected<helix::studies::Inputs> inputs_for(const helix::studies::ComputeStudy& study, const ParamValues& params,
                                            std::vector<Opened>& models, std::size_t threads = 1);

/// Logits [position, n_vocab] after each of the tokens; the network is prepared.
Expected<Matrix<float>> logits_of(const std::shared_ptr<model::Network>& network, std::vector<std::int32_t> tokens);

}  // namespace helix::cli
