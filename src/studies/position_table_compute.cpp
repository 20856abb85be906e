#include "studies/position_table_compute.h"

#include "checkpoint/convert.h"
#include "geometry/positions.h"
#include "studies/helix_compute.h"

namespace helix::studies {

std::vector<ModelNeeds> needs_of(PositionSource source) {
  if (source == PositionSource::sinusoidal) return {};
  return {{"", {kPositionTable}}};
}

Task<Expected<Matrix<double>>> position_table(PositionSource source, double base, Inputs inputs,
                                              protocol::Provenance* provenance) {
  if (source == PositionSource::sinusoidal) {
    provenance->model.clear(), provenance->sha256.clear();
    provenance->precision = "F64";
    co_return geometry::sinusoidal_positions(kSinusoidPositions, kSinusoidDimensions, base);
  }
  if (!inputs.weights)
    co_return Error{"No model is open, so there are no learned positions; open one, or look at the sinusoidal ones."};
  auto rows = learned_positions(*inputs.weights);
  if (!rows) co_return rows.error();
  const auto hash = co_await hash_tensor(inputs, kPositionTable);
  if (!hash) co_return hash.error();
  provenance->tensors.push_back({kPositionTable, *hash});
  provenance->precision = checkpoint::precision_of(*inputs.weights->tensor(kPositionTable));
  co_return std::move(*rows);
}

}  // namespace helix::studies
