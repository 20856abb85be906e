#include "cli/cli.h"

#include <algorithm>

#include "base/target.h"
#include "base/text.h"
#include "cli/opened.h"
#include "cli/outputs.h"

namespace helix::cli {
namespace {

struct Verb {
  const char* name;
  const char* usage;
  const char* help;
  Outcome (*run)(const Options&);
  std::vector<std::string> with_value, flags;
  std::vector<std::string> with_values = {};  // take several values, one after the other
  std::size_t words = 0;                      // how many it takes besides its options
};

std::vector<std::string> with_subject(std::vector<std::string> options) {
  options.insert(options.end(), kSubjectOptions.begin(), kSubjectOptions.end());
  return options;
}

const std::vector<Verb>& verbs() {
  static const std::vector<Verb> all{
      {"info",
       "--model PATH [--json]",
       "What a checkpoint holds: sizes, precision, and what its tensors allow.",
       info,
       {"model"},
       {"json"}},
      {"studies",
       "[--json]",
       "The studies: what they need, and their parameters with type, default and range.",
       studies,
       {},
       {"json"}},
      {"edits",
       "[--json]",
       "The edits that --edit and the page take, and what each does. Parts in brackets are optional.",
       edits,
       {},
       {"json"}},
      {"hooks",
       "[--json]",
       "The places of a forward pass that capture --hook reads, with their axes; L is a layer, counted from 0.",
       hooks,
       {},
       {"json"}},
      {"run",
       "STUDY [--model PATH]... [--control KIND:SEED] [--preset ID] [--prompt TEXT | --prompt-file FILE | --tokens "
       "1,2,3] [--bos] "
       "[--keep-last] "
       "[--set key=value]... [--edit SPEC]... [--against FRAGMENT [--compare difference|beside]] [--threads N] "
       "[--json] "
       "[--npz FILE] [--csv DIR] [--svg FILE] [--python FILE]",
       "Runs a study. --json prints the whole result; --npz, --csv and --svg write its arrays and its figure. --python "
       "writes a script: python3 FILE PATH recomputes the numbers with numpy and asserts that they agree. A study of "
       "several models takes --model repeatedly, and reads all of them unless its parameter names some. --against "
       "compares with another state: a part of a link, such as edit=zero_positions, layer=3 or model=control:walk:3.",
       run_study,
       with_subject({"model", "control", "preset", "set", "against", "compare", "npz", "csv", "svg", "python"}),
       {"json", "bos", "keep-last"},
       {},
       1},
      {"link",
       "HASH | [--study ID] [--model NAME] --set key=value...",
       "Reads a link and prints its canonical form and what it means as JSON; or writes one.",
       link,
       {"study", "model", "set"},
       {},
       {},
       1},
      {"tokenize",
       "--model PATH --text T | --text-file F | --decode 1,2,3 [--json]",
       "The tokens of a text: ids and bytes; or the text of ids. PATH only has to hold vocab.json and merges.txt.",
       tokenize,
       {"model", "text", "text-file", "decode"},
       {"json"}},
      {"generate",
       "--model PATH --prompt TEXT -n N [--greedy | --temperature X --top-k K --top-p P --seed S] [--edit SPEC]... "
       "[--threads N] [--json]",
       "Continues a text by N tokens, chosen from the whole vocabulary's probabilities.",
       generate,
       with_subject({"model", "control", "n", "temperature", "top-k", "top-p", "seed"}),
       {"json", "bos", "keep-last", "greedy"}},
      {"logits",
       "--model PATH --tokens 1,2,3 | --prompt TEXT [--bos] [--keep-last] [--edit SPEC]... [--against FRAGMENT] "
       "[--threads N] "
       "[--top K] [--npy FILE] [--json]",
       "The most likely next tokens. --npy writes all logits, [position, vocabulary] float32. --against names the run "
       "from which the edit patch takes its values: a part of a link, such as edit=zero_positions or prompt=Hello.",
       logits,
       with_subject({"model", "control", "top", "npy", "against"}),
       {"json", "bos", "keep-last"}},
      {"capture",
       "--model PATH --tokens 1,2,3 | --prompt TEXT [--bos] [--keep-last] [--edit SPEC]... [--threads N] --hook "
       "NAME... --npz FILE",
       "Writes the values at these hooks (TransformerLens names, such as blocks.0.attn.hook_pattern) as arrays.",
       capture,
       with_subject({"model", "control", "npz", "against"}),
       {"bos", "keep-last"},
       {"hook"}},
      {"verify",
       "--model PATH [--precision f32|q8] [--threads N] [--json]",
       "Checks every published number that can be tested on this checkpoint, and the engine itself on this machine.",
       verify,
       {"model", "control", "precision", "threads"},
       {"json"}},
      {"claims",
       "[--model PATH] [--id ID] [--csv FILE] [--markdown FILE] [--json]",
       "The table of claims: every sentence of the source texts that a study declares, recomputed on this checkpoint "
       "where it is declared and at the study's presets. A sentence about another model is shown, not judged.",
       claims,
       {"model", "control", "id", "csv", "markdown"},
       {"json"}},
      {"bench",
       "--model PATH [--precision f32|q8] [--prefill 16,64,256] [--decode 32] [--repeats 3] [--threads N] "
       "[--text-file F] [--json]",
       "How long the forward pass takes, and what share of this machine's limit that is. In q8 also how much 8 "
       "bits change the predictions, of the text if one is given. --json: one object a line.",
       bench,
       {"model", "precision", "prefill", "decode", "repeats", "threads", "text-file"},
       {"json"}},
      {"pack",
       "--model PATH --out DIR --precision f32|f16|q8 [--shard-bytes N] [--text-file F] [--json]",
       "Makes a folder to host: manifest.json, shards of at most 16 MB (2^24 bytes) each, and the tokenizer's files. "
       "Reports how far the stored weights and their predictions are from the source and, for a text, its "
       "perplexity with both.",
       pack,
       {"model", "out", "precision", "shard-bytes", "text-file"},
       {"json"}}};
  return all;
}

std::string usage() {
  std::string text =
      "helixscope " + std::string(version_name()) + ": how GPT-2 knows where its words are, in numbers.\n\n";
  for (const Verb& v : verbs()) text += "  helixscope " + std::string(v.name) + " " + v.usage + "\n";
  return text +
         "\nPATH is a .safetensors file, a folder that holds one, or a pack. --control walk:3 puts a control made from "
         "it in its "
         "place, of\nseed 3: a random walk with its steps, its positions in random order (rows:3), random positions of "
         "their norms (noise:3), or\nrandom weights (weights:3); --model control:walk:3@PATH names the same. Text runs "
         "on one thread; --threads N "
         "gives it "
         "N, with the\nsame numbers to the last bit. `helixscope VERB --help` describes one verb.\n";
}

}  // namespace

Outcome failure(std::string sentence) { return {"", std::move(sentence) + "\n", 1}; }
Outcome failure(const Error& error) {
  const bool too_long = error.remedy == Remedy::keep_last;
  return failure(error.sentence + (too_long ? " With --keep-last it reads the last of them." : ""));
}
Outcome misuse(std::string sentence) { return {"", std::move(sentence) + "\n", 2}; }

bool Options::has(const std::string& flag) const { return std::find(flags.begin(), flags.end(), flag) != flags.end(); }

std::string Options::get(const std::string& name) const {
  const auto found = all(name);
  return found.empty() ? std::string() : found.back();
}

std::vector<std::string> Options::all(const std::string& name) const {
  std::vector<std::string> found;
  for (const auto& [key, value] : values)
    if (key == name) found.push_back(value);
  return found;
}

Expected<Options> parse_options(const std::vector<std::string>& arguments, std::size_t from,
                                const std::vector<std::string>& with_value, const std::vector<std::string>& flags,
                                const std::vector<std::string>& with_values) {
  const auto among = [](const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  Options options;
  for (std::size_t i = from; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    if (word == "-n" && among(with_value, "n")) {  // the one short option
      if (++i == arguments.size()) return Error{"-n needs a value."};
      options.values.emplace_back("n", arguments[i]);
      continue;
    }
    if (!word.starts_with("--")) {
      options.words.push_back(word);
      continue;
    }
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(2, equals == std::string::npos ? equals : equals - 2);
    if (const bool several = among(with_values, name); several || among(with_value, name)) {
      if (equals != std::string::npos)
        options.values.emplace_back(name, word.substr(equals + 1));
      else if (i + 1 < arguments.size())
        options.values.emplace_back(name, arguments[++i]);
      else
        return Error{"--" + name + " needs a value."};
      while (several && i + 1 < arguments.size() && !arguments[i + 1].starts_with("--"))
        options.values.emplace_back(name, arguments[++i]);
    } else if (equals == std::string::npos && among(flags, name)) {
      options.flags.push_back(name);
    } else {
      return Error{"There is no option --" + name + " here."};
    }
  }
  return options;
}

Outcome run(const std::vector<std::string>& arguments) {
  if (arguments.empty()) return {"", usage(), 2};
  const std::string& name = arguments[0];
  if (name == "--help" || name == "help") return {usage(), "", 0};
  if (name == "--version") return {std::string(version_name()) + "\n", "", 0};
  const auto verb = std::find_if(verbs().begin(), verbs().end(), [&](const Verb& v) { return v.name == name; });
  if (verb == verbs().end()) return misuse("There is no verb " + in_quotes(name) + "; helixscope --help lists them.");
  if (std::find(arguments.begin() + 1, arguments.end(), "--help") != arguments.end())
    return {"helixscope " + name + " " + verb->usage + "\n\n" + verb->help + "\n", "", 0};
  const auto options = parse_options(arguments, 1, verb->with_value, verb->flags, verb->with_values);
  if (!options) return misuse(options.error().sentence);
  if (options->all("model").size() > 1 && name != "run") return misuse(name + " takes one --model.");
  if (options->words.size() > verb->words)
    return misuse("The argument " + in_quotes(options->words[verb->words]) + " is not one that " + name +
                  " takes; a text with spaces needs quotes around it. See helixscope " + name + " --help.");
  if (const auto safe = check_outputs(*options); !safe) return failure(safe.error());
  return verb->run(*options);
}

}  // namespace helix::cli
