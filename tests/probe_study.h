// A study of tests: it reads tensors and runs the model in one run.
#pragma once

#include <cmath>

#include "studies/context_compute.h"

namespace helix::testing::probe {

struct Params {
  bool run_first = true;

  static void fields(ParamVisitor& v, Params& p) { v(Field{"run_first"}, p.run_first); }
};

struct Output : studies::OutputBase {
  protocol::Quantity norm, loss, texts;

  static void fields(protocol::OutputVisitor& v, Output& o) {
    v(protocol::Out{"norm", ""}, o.norm);
    v(protocol::Out{"loss", "nats"}, o.loss);
    v(protocol::Out{"texts", ""}, o.texts);
  }
};

inline StudySchema describe() {
  StudySchema schema;
  schema.id = "probe";
  schema.title = "Probe";
  schema.reads = Reads::forward, schema.many_texts = true;
  return studies::with_fields<Params, Output>(std::move(schema));
}

inline Task<Expected<void>> read(studies::Context* context, Output* out) {
  const auto table = co_await context->table("wte.weight", "word embeddings");
  if (!table) co_return table.error();
  Matrix<double> row(1, table->cols());
  if (const auto ok = table->blocks.read(0, row.view()); !ok) co_return ok.error();
  double square = 0;
  for (const double x : row.data) square += x * x;
  out->norm = {std::sqrt(square), ""};
  const auto head = co_await context->head(0, 1);
  if (!head) co_return head.error();
  co_return Expected<void>();
}

inline Task<Expected<Output>> compute(Params params, studies::Context& context) {
  Output out;
  if (!params.run_first)
    if (const auto ok = co_await read(&context, &out); !ok) co_return ok.error();
  const std::vector<Subject> texts = context.runner().subjects();
  double sum = 0;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const auto part = co_await progress_part(static_cast<double>(i), 1, static_cast<double>(texts.size()),
                                             "prompt " + std::to_string(i + 1));
    const auto text = co_await context.runner().prepare(texts[i]);
    if (!text) co_return text.error();
    const auto loss = co_await context.runner().loss(*text);
    if (!loss) co_return loss.error();
    sum += loss->mean();
    if (i == 0) context.describe_text(*text, out);
  }
  out.loss = {sum / static_cast<double>(texts.size()), ""}, out.texts = {static_cast<double>(texts.size()), ""};
  if (params.run_first)
    if (const auto ok = co_await read(&context, &out); !ok) co_return ok.error();
  co_return std::move(out);
}

inline std::vector<studies::ModelNeeds> needs(const ParamValues&, const studies::Known&) {
  studies::ModelNeeds own{"", studies::head_tensors(0)};
  own.tensors.push_back("wte.weight");
  return {std::move(own)};
}

inline studies::ComputeStudy study() { return studies::study_of<describe, compute>(needs); }

}  // namespace helix::testing::probe
