// Small models at the edges of what a study is asked: nothing varies, a row is missing, sizes are tiny or numbers far from 1.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "tests/noise_model.h"

namespace helix::testing {

struct OddModel {
  std::string name;
  studies::Inputs inputs;
};

/// 16 positions and 257 tokens of 40 numbers, 5 heads, 1 layer, unless the model is odd in its sizes.
inline std::vector<OddModel> odd_models() {
  using Values = std::vector<float>;
  const TinySizes usual{1, 40, 5, 16, 257};
  std::vector<OddModel> out;
  const auto add = [&](const std::string& name, const TinySizes& sizes, const std::function<void(Tensors&)>& change) {
    studies::Inputs inputs = noise_model(sizes, change), whole = planted_inputs();
    whole.weights = inputs.weights, whole.size = inputs.size, whole.provenance.model = "odd";
    whole.models = {{"odd", "", whole.weights, "", whole.tokenizer, "", whole.network, whole.session, ""}};
    out.push_back({name, std::move(whole)});
  };
  const auto edit = [&](const std::string& name, const std::string& tensor, auto change) {
    add(name, usual, [&](Tensors& t) { change(t.at(tensor)); });
  };
  const auto scale = [](float by) {
    return [by](Tensors& t) {
      for (auto& [name, numbers] : t)
        for (float& x : numbers) x *= by;
    };
  };
  const auto repeat_first = [&](Values& rows) {
    for (std::size_t i = usual.d_model; i < rows.size(); ++i) rows[i] = rows[i - usual.d_model];
  };
  const auto clear = [](Values& rows) { std::ranges::fill(rows, 0.0f); };
  add("noise", usual, {});
  edit("zero positions", "wpe.weight", clear);
  edit("constant positions", "wpe.weight", repeat_first);
  edit("positions of one number", "wpe.weight", [](Values& rows) { std::ranges::fill(rows, 0.1f); });
  edit("zero row", "wpe.weight", [&](Values& rows) { std::fill_n(rows.begin() + 3 * 40, 40, 0.0f); });
  edit("equal rows", "wpe.weight", [&](Values& rows) {
    for (std::size_t i = 5 * 40; i < 9 * 40; ++i) rows[i] = rows[i - 40];
  });
  edit("one row differs", "wpe.weight", [&](Values& rows) {
    repeat_first(rows);
    rows[7 * 40 + 2] += 1;
  });
  edit("positions on a line", "wpe.weight", [&](Values& rows) {
    for (std::size_t i = 0; i < 16; ++i)
      for (std::size_t j = 0; j < 40; ++j) rows[i * 40 + j] = static_cast<float>(i);
  });
  edit("zero tokens", "wte.weight", clear);
  edit("constant tokens", "wte.weight", repeat_first);
  edit("zero queries", "h.0.attn.c_attn.weight", clear);
  add("numbers of 1e-4", usual, scale(1e-4f));
  add("numbers of 1e4", usual, scale(1e4f));
  add("one head", {1, 24, 1, 60, 257}, {});
  add("two positions", {1, 16, 2, 2, 64}, {});
  add("one position", {1, 16, 2, 1, 64}, {});
  add("two numbers", {1, 2, 1, 40, 64}, {});
  return out;
}

}  // namespace helix::testing
