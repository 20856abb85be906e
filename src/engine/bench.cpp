#include "engine/bench.h"

#include "base/target.h"
#include "model/speed.h"
#include "studies/prompt_compute.h"

namespace helix::engine {
namespace {

struct Params {
  std::vector<int> prefill{16, 64, 256}, decode{32};
  int repeats = 3;
  double f32_roof = 0, int8_roof = 0, reading_roof = 0;

  static void fields(ParamVisitor& v, Params& p) {
    v(Field{"prefill", "tokens"}, p.prefill, Wholes{1, 65536});
    v(Field{"decode", "tokens"}, p.decode, Wholes{1, 65536});
    v(Field{"repeats", "runs"}, p.repeats, Whole{1, 100});
    const Real rate{0, 1e6};
    v(Field{"f32_roof", "GFLOP/s"}, p.f32_roof, rate);
    v(Field{"int8_roof", "GOP/s"}, p.int8_roof, rate);
    v(Field{"reading_roof", "GB/s"}, p.reading_roof, rate);
  }
};

struct Output : studies::OutputBase {
  protocol::Quantity f32_roof, int8_roof, reading_roof, weight_bytes;
  protocol::Grid milliseconds, limit;
  protocol::Texts work;

  static void fields(protocol::OutputVisitor& v, Output& o) {
    using protocol::Out;
    v(Out{"f32_roof", "GFLOP/s"}, o.f32_roof);
    v(Out{"int8_roof", "GOP/s"}, o.int8_roof);
    v(Out{"reading_roof", "GB/s"}, o.reading_roof);
    v(Out{"weight_bytes", "bytes"}, o.weight_bytes);
    v(Out{"milliseconds", "ms", {"work"}}, o.milliseconds);
    v(Out{"limit", "ms", {"work"}}, o.limit);
    v(Out{"work", "", {"work"}}, o.work);
  }
};

StudySchema describe() {
  StudySchema schema;
  schema.id = "bench";
  schema.reads = Reads::model;
  return studies::with_fields<Params, Output>(std::move(schema));
}

Task<Expected<protocol::Result>> run(ParamValues values, studies::Inputs inputs) {
  const auto params = read_params<Params>(values);
  if (!inputs.network) co_return Error{inputs.no_network};
  const auto prepared = co_await inputs.network->prepare();
  if (!prepared) co_return prepared.error();
  const kernels::Roofs known{params.f32_roof, params.int8_roof, params.reading_roof};
  const auto speed =
      co_await model::measure_speed(inputs.network, params.prefill, params.decode, params.repeats, known);
  if (!speed) co_return speed.error();
  Output out;
  out.convention = "medians; pauses for the page are included";
  out.f32_roof.value = speed->roofs.f32, out.int8_roof.value = speed->roofs.int8;
  out.reading_roof.value = speed->roofs.reading;
  out.weight_bytes.value = static_cast<double>(inputs.network->bytes());
  for (const model::SpeedRow& row : speed->rows) {
    out.work.push_back(row.work);
    out.milliseconds.data.push_back(row.milliseconds);
    out.limit.data.push_back(row.limit);
  }
  out.milliseconds.shape = out.limit.shape = {speed->rows.size()};
  co_return studies::to_result(describe(), values, studies::provenance_of(inputs), out);
}

std::vector<studies::ModelNeeds> needs(const ParamValues&, const studies::Known&) { return {}; }

}  // namespace

const studies::ComputeStudy& bench() {
  static const studies::ComputeStudy study{describe(), needs, run};
  return study;
}

}  // namespace helix::engine
