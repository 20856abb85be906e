#include "studies/head_sources/composition.h"

#include <algorithm>
#include <cmath>

#include "base/pcg64.h"
#include "geometry/dense.h"
#include "studies/null_range.h"

namespace helix::studies::head_sources {

std::vector<double> compositions(const Source& source, const std::vector<Matrix<double>>& readers) {
  using geometry::map;
  const geometry::RowMatrix vv = map(source.v) * map(source.v).transpose();
  const geometry::RowMatrix oo = map(source.o) * map(source.o).transpose();
  const double own = vv.cwiseProduct(oo).sum();
  std::vector<double> out;
  for (const Matrix<double>& reader : readers) {
    const geometry::RowMatrix product = map(source.o) * map(reader).transpose();
    const double joint = (vv * product).cwiseProduct(product).sum(), norms = own * map(reader).squaredNorm();
    out.push_back(norms > 0 ? std::sqrt(std::max(joint, 0.0) / norms) : std::nan(""));
  }
  return out;
}

Task<std::vector<double>> random_compositions(std::size_t d_model, std::size_t d_head) {
  std::vector<double> out;
  for (std::uint32_t seed = 1; seed <= kNullSeeds; ++seed) {
    Pcg64 rng(seed);
    const auto drawn = [&] {
      Matrix<double> m(d_head, d_model);
      rng.normal(std::span(m.data));
      return m;
    };
    Source source{drawn(), drawn()};
    out.push_back(compositions(source, {drawn()}).front());
    co_await pause_point();
  }
  co_return std::move(out);
}

}  // namespace helix::studies::head_sources
