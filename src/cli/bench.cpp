#include "engine/bench.h"
#include "base/text.h"
#include "cli/opened.h"
#include "protocol/json.h"

namespace helix::cli {
namespace {

using protocol::Json;

std::string lines_of(const protocol::Result& result, const std::string& precision, bool json) {
  const auto& work = result.words_of("work")->data;
  const auto &taken = result.array("milliseconds")->data, &limit = result.array("limit")->data;
  std::string out;
  for (std::size_t i = 0; i < work.size(); ++i) {
    const double share = limit[i] / taken[i];
    if (json)
      out += protocol::dump({{"engine", "helixscope"},
                             {"flavour", "native " + result.provenance.kernels},
                             {"precision", precision},
                             {"threads", 1},
                             {"work", work[i]},
                             {"ms", protocol::number(taken[i])},
                             {"of_limit", protocol::number(share)}}) +
             "\n";
    else
      out += work[i] + "  " + to_fixed(taken[i], 2) + " ms, " + to_fixed(share * 100, 0) + " % of the limit\n";
  }
  if (json) return out;
  return out + "limits from float products at " + to_fixed(result.scalar("f32_roof")->value, 1) +
         " GFLOP/s, 8-bit at " + to_fixed(result.scalar("int8_roof")->value, 1) + " GOP/s, memory at " +
         to_fixed(result.scalar("reading_roof")->value, 1) + " GB/s\n" + provenance_line(result.provenance) + "\n";
}

}  // namespace

Outcome bench(const Options& options) {
  if (options.get("model").empty()) return misuse("bench needs --model PATH.");
  if (const std::string threads = options.get("threads"); !threads.empty() && threads != "1")
    return misuse("The engine runs on one thread; --threads takes 1.");
  const auto subject = subject_from(options);
  if (!subject) return misuse(subject.error().sentence);
  const auto& study = engine::bench();
  ParamValues params = defaults(study.schema);
  for (const char* key : {"prefill", "decode", "repeats"})
    if (const std::string given = options.get(key); !given.empty())
      if (const auto set = set_value(study.schema, params, key, given, true); !set) return misuse(set.error().sentence);
  auto opened = open_model(options.get("model"), *subject, study.schema.reads);
  if (!opened) return failure(opened.error().sentence);
  const auto result = run_to_end(study.run(params, opened->inputs));
  if (!result) return failure(result.error().sentence);
  const std::string precision(kPrecisionNames[static_cast<std::size_t>(subject->precision)]);
  return {lines_of(*result, precision, options.has("json")), "", 0};
}

}  // namespace helix::cli
