// The lead of a head's target keys, taken apart: a score is linear in the keys where the queries are held, and the other
// way round, and a row of the residual stream is a sum. LayerNorm's scales are held as they were.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/matrix.h"
#include "studies/context_compute.h"
#include "studies/head_sources/head_sources.h"

namespace helix::studies::head_sources {

/// The keys of each query that a score is about; empty: this query does not count.
using Targets = std::vector<std::vector<std::size_t>>;
/// `ids` are the tokens; `pattern` [query, key] is the head's; `query` −1: all but the first, which sees only itself.
Targets targets_of(Target target, const std::vector<std::int32_t>& ids, const Matrix<double>& pattern, bool causal,
                   int query);
std::size_t count_of(const Targets& targets);

/// Weight of each score in the lead, [query, key]: the mean over the queries that count of the mean over the targets less
/// the mean over all keys that the query sees. The lead is the sum of weight · q·k / √d_head.
Matrix<double> pair_weights(const Targets& targets, std::size_t tokens, bool causal);
/// Attention to the targets, mean over the queries that count.
double attention_to(const Targets& targets, const Matrix<double>& pattern);
double even_attention(const Targets& targets, std::size_t tokens, bool causal);

/// What the lead is multiplied by, row by row: the lead is the sum over positions of row · pull, whether rows are keys
/// (and `other` the queries) or queries (and `other` the keys). [position, d_head]
Matrix<double> pull_of(const Matrix<double>& pairs, const Matrix<double>& other, Through through);
double lead_of(const Matrix<double>& rows, const Matrix<double>& pull);

/// W of the head as it multiplies rows of the residual stream before ln_1, but for ln_1's scale: gain folded in, less the
/// mean of each column, because LayerNorm subtracts the row's mean. [d_model, d_head]
Matrix<double> folded(const Matrix<double>& w, const std::vector<double>& gain);
/// Random W of the same mean and standard deviation, one for each seed, folded.
std::vector<Matrix<double>> random_folded(const Matrix<double>& w, const std::vector<double>& gain);

/// Σ rowᵀ · pull over the positions, [row, d_head]: with it any W's share of the lead is an inner product.
Matrix<double> outer_sum(MatrixView<const float> rows, const Matrix<double>& pull);
double inner(const Matrix<double>& a, const Matrix<double>& b);

}  // namespace helix::studies::head_sources
