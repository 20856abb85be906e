#include "model/edits/freeze.h"

#include <algorithm>
#include <utility>

namespace helix::model::effects {

Task<Expected<Change>> freeze(std::shared_ptr<Network> network, std::vector<std::int32_t> tokens, Frozen what) {
  for (const std::int32_t id : tokens) what.name += " " + std::to_string(id);
  auto kept = network->kept().find(what.name);
  if (!kept) {
    const auto rows = std::make_shared<Matrix<float>>(what.rows, what.cols);
    Asked asked;
    asked.tokens = tokens;
    for (const Hook hook : what.hooks)
      asked.watch.push_back({hook, [rows, place = what.place](const Chunk& chunk) {
                               for (std::size_t i = 0; i < chunk.rows.rows; ++i)
                                 std::ranges::copy(chunk.rows.row(i), rows->row(place(chunk, i)).begin());
                             }});
    const auto session = std::make_shared<Session>();
    if (const auto ran = co_await forward(network, session, std::move(asked)); !ran) co_return ran.error();
    network->kept().keep(std::move(what.name), kept = rows);
  }
  Change out;
  out.frozen = tokens.size();
  for (const Hook hook : what.hooks)
    out.taps.push_back({hook, [kept, place = what.place](const Chunk& chunk) {
                          for (std::size_t i = 0; i < chunk.rows.rows; ++i)
                            std::ranges::copy(kept->row(place(chunk, i)).first(chunk.rows.cols),
                                              chunk.rows.row(i).begin());
                        }});
  co_return out;
}

}  // namespace helix::model::effects
