// Small GPT-2s with seeded random weights, and a forward pass in double written as plainly as possible: the
// reference for the engine.
#pragma once

#include <catch_amalgamated.hpp>
#include <cmath>
#include <compare>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "model/network.h"
#include "tests/support.h"

namespace helix::testing {

struct TinySizes {
  std::size_t n_layer = 2, d_model = 8, n_head = 2, n_ctx = 12, n_vocab = 20;
  bool tied = true;
  auto operator<=>(const TinySizes&) const = default;
};

using Tensors = std::map<std::string, std::vector<float>>;

inline Bytes new_tiny_checkpoint(const TinySizes& sizes, double spread, unsigned seed, Tensors* tensors) {
  auto entries = testing::tiny_gpt2(sizes.n_layer, sizes.d_model, sizes.n_ctx, sizes.n_vocab);
  if (!sizes.tied) entries.push_back({"lm_head.weight", {sizes.n_vocab, sizes.d_model}});
  Bytes file = testing::file_of(entries);
  std::size_t total = 0;
  for (const auto& entry : entries) total += static_cast<std::size_t>(entry_bytes(entry));
  std::size_t at = file.size() - total;
  Dice dice(seed);
  for (const auto& entry : entries) {
    const std::size_t count = static_cast<std::size_t>(entry_bytes(entry)) / sizeof(float);
    const bool gain = entry.name.find("ln_") != std::string::npos && entry.name.ends_with("weight");
    std::vector<float> values(count);
    for (float& x : values) x = static_cast<float>((gain ? 1 : 0) + spread * dice.normal());
    std::memcpy(&file[at], values.data(), count * sizeof(float));
    at += count * sizeof(float);
    if (tensors) (*tensors)[entry.name] = std::move(values);
  }
  return file;
}

/// A complete checkpoint; LayerNorm gains near 1, everything else spread by `spread`. What was written goes to `tensors`.
/// Many tests want the same one, so it is made once.
inline Bytes tiny_checkpoint(const TinySizes& sizes, double spread = 0.3, unsigned seed = 1,
                             Tensors* tensors = nullptr) {
  if (tensors) return new_tiny_checkpoint(sizes, spread, seed, tensors);
  static std::map<std::tuple<TinySizes, double, unsigned>, Bytes> known;
  auto& file = known[{sizes, spread, seed}];
  if (file.empty()) file = new_tiny_checkpoint(sizes, spread, seed, nullptr);
  return file;
}

inline checkpoint::Config tiny_config(const TinySizes& sizes, const checkpoint::Header& header) {
  const std::string json =
      "{\"n_head\": " + std::to_string(sizes.n_head) + (sizes.tied ? "}" : ", \"tie_word_embeddings\": false}");
  const auto config = checkpoint::make_config(header, json, "tiny");
  REQUIRE(config);
  return *config;
}

inline std::shared_ptr<model::Network> tiny_network(const TinySizes& sizes, double spread = 0.3, unsigned seed = 1,
                                                    Tensors* tensors = nullptr) {
  const Bytes file = tiny_checkpoint(sizes, spread, seed, tensors);
  auto weights = std::make_shared<checkpoint::WeightFile>("tiny", file.size());
  REQUIRE(weights->feed(0, file));
  auto network = model::Network::make(weights, tiny_config(sizes, *weights->header()), "tiny");
  REQUIRE(network);
  weights->want((*network)->unread());
  REQUIRE(weights->feed(0, file));
  REQUIRE(run_to_end((*network)->prepare()));
  return *network;
}

using Rows = std::vector<std::vector<double>>;

/// Expected values of each hook, by name: rows of [position], flat; for scores and patterns [head·query] of [key].
struct Plain {
  std::map<std::string, Rows> hooks;
  Rows logits;
};

class PlainGpt2 {
 public:
  PlainGpt2(const TinySizes& sizes, const Tensors& tensors) : s_(sizes), t_(tensors) {}

  Plain run(const std::vector<std::int32_t>& tokens, bool causal = true) {
    out_ = {};
    Rows x = take("hook_embed", gather("wte.weight", tokens));
    std::vector<std::int32_t> places(tokens.size());
    for (std::size_t i = 0; i < places.size(); ++i) places[i] = static_cast<std::int32_t>(i);
    x = sum(x, take("hook_pos_embed", gather("wpe.weight", places)));
    for (std::size_t l = 0; l < s_.n_layer; ++l) x = block(x, l, causal);
    const Rows y = norm(x, "ln_f", "ln_final.");
    const auto& head = t_.at(s_.tied ? "wte.weight" : "lm_head.weight");
    for (const auto& row : y) {
      std::vector<double> logits(s_.n_vocab);
      for (std::size_t v = 0; v < s_.n_vocab; ++v)
        for (std::size_t j = 0; j < s_.d_model; ++j) logits[v] += row[j] * head[v * s_.d_model + j];
      out_.logits.push_back(logits);
    }
    return out_;
  }

 private:
  Rows take(const std::string& name, Rows rows) {
    out_.hooks[name] = rows;
    return rows;
  }
  Rows gather(const std::string& name, const std::vector<std::int32_t>& ids) {
    const auto& table = t_.at(name);
    Rows rows;
    for (const std::int32_t id : ids) {
      const auto from = table.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(id) * s_.d_model);
      rows.emplace_back(from, from + static_cast<std::ptrdiff_t>(s_.d_model));
    }
    return rows;
  }
  static Rows sum(Rows a, const Rows& b) {
    for (std::size_t i = 0; i < a.size(); ++i)
      for (std::size_t j = 0; j < a[i].size(); ++j) a[i][j] += b[i][j];
    return a;
  }
  Rows linear(const Rows& x, const std::string& name) {
    const auto &w = t_.at(name + ".weight"), &b = t_.at(name + ".bias");
    Rows y;
    for (const auto& row : x) {
      std::vector<double> out(b.begin(), b.end());
      for (std::size_t i = 0; i < row.size(); ++i)
        for (std::size_t j = 0; j < out.size(); ++j) out[j] += row[i] * w[i * out.size() + j];
      y.push_back(out);
    }
    return y;
  }
  Rows norm(Rows x, const std::string& name, const std::string& hook) {
    const auto &w = t_.at(name + ".weight"), &b = t_.at(name + ".bias");
    Rows scales;
    for (auto& row : x) {
      double mean = 0, variance = 0;
      for (const double v : row) mean += v / static_cast<double>(row.size());
      for (const double v : row) variance += (v - mean) * (v - mean) / static_cast<double>(row.size());
      scales.push_back({std::sqrt(variance + 1e-5)});
      for (double& v : row) v = (v - mean) / scales.back()[0];
    }
    take(hook + "hook_scale", scales);
    take(hook + "hook_normalized", x);
    for (auto& row : x)
      for (std::size_t j = 0; j < row.size(); ++j) row[j] = row[j] * w[j] + b[j];
    return x;
  }
  Rows block(const Rows& x, std::size_t l, bool causal) {
    const std::string b = "blocks." + std::to_string(l) + ".", h = "h." + std::to_string(l) + ".";
    take(b + "hook_resid_pre", x);
    const Rows qkv = linear(norm(x, h + "ln_1", b + "ln1."), h + "attn.c_attn");
    const std::size_t n = x.size(), d = s_.d_model, dh = d / s_.n_head;
    const auto part = [&](std::size_t which) {
      Rows rows;
      for (const auto& row : qkv)
        rows.emplace_back(row.begin() + static_cast<std::ptrdiff_t>(which * d),
                          row.begin() + static_cast<std::ptrdiff_t>((which + 1) * d));
      return rows;
    };
    const Rows q = take(b + "attn.hook_q", part(0)), k = take(b + "attn.hook_k", part(1)),
               v = take(b + "attn.hook_v", part(2));
    Rows raw, masked, pattern, z(n, std::vector<double>(d)), result(n, std::vector<double>(s_.n_head * d));
    const auto& wo = t_.at(h + "attn.c_proj.weight");
    for (std::size_t head = 0; head < s_.n_head; ++head)
      for (std::size_t i = 0; i < n; ++i) {
        std::vector<double> s(n), m(n), p(n);
        double top = -1e300, total = 0;
        for (std::size_t j = 0; j < n; ++j) {
          for (std::size_t c = 0; c < dh; ++c) s[j] += q[i][head * dh + c] * k[j][head * dh + c];
          s[j] /= std::sqrt(static_cast<double>(dh));
          m[j] = causal && j > i ? -std::numeric_limits<double>::infinity() : s[j];
          top = std::max(top, m[j]);
        }
        for (std::size_t j = 0; j < n; ++j) total += p[j] = std::exp(m[j] - top);
        for (std::size_t j = 0; j < n; ++j) {
          p[j] /= total;
          for (std::size_t c = 0; c < dh; ++c) z[i][head * dh + c] += p[j] * v[j][head * dh + c];
        }
        for (std::size_t c = 0; c < dh; ++c)
          for (std::size_t j = 0; j < d; ++j)
            result[i][head * d + j] += z[i][head * dh + c] * wo[(head * dh + c) * d + j];
        raw.push_back(s), masked.push_back(m), pattern.push_back(p);
      }
    take(b + "attn.hook_scores_raw", raw), take(b + "attn.hook_attn_scores", masked);
    take(b + "attn.hook_pattern", pattern), take(b + "attn.hook_z", z), take(b + "attn.hook_result", result);
    const Rows mid = take(b + "hook_resid_mid", sum(x, take(b + "hook_attn_out", linear(z, h + "attn.c_proj"))));
    Rows hidden = take(b + "mlp.hook_pre", linear(norm(mid, h + "ln_2", b + "ln2."), h + "mlp.c_fc"));
    for (auto& row : hidden)
      for (double& u : row) u = u / 2 * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (u + 0.044715 * u * u * u)));
    take(b + "mlp.hook_post", hidden);
    return take(b + "hook_resid_post", sum(mid, take(b + "hook_mlp_out", linear(hidden, h + "mlp.c_proj"))));
  }

  TinySizes s_;
  const Tensors& t_;
  Plain out_;
};

}  // namespace helix::testing
