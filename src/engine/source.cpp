#include "engine/source.h"

#include "model/config.h"

namespace helix::engine {

Source::Source(protocol::Open open) : info(std::move(open)), file(std::make_shared<model::WeightFile>(info.model)) {}

std::vector<ByteRange> Source::take_unrequested() {
  std::vector<ByteRange> fresh;
  for (const ByteRange& wanted : file->missing())
    for (const ByteRange& gap : requested.gaps(wanted)) fresh.push_back(gap);
  for (const ByteRange& r : fresh) requested.add(r);
  return fresh;
}

protocol::Opened Source::describe() const {
  protocol::Opened out;
  out.model = info.model;
  const model::Header& header = *file->header();
  out.file_bytes = header.file_bytes;
  if (const model::TensorInfo* wpe = header.find("wpe.weight")) out.precision = wpe->dtype_name;
  const std::optional<std::string_view> config_json =
      info.config_json.empty() ? std::nullopt : std::optional<std::string_view>(info.config_json);
  const auto config = model::make_config(header, config_json, info.model);
  if (!config) return out;  // its sentence comes when a study needs what is wrong
  out.n_layer = static_cast<std::int64_t>(config->n_layer), out.n_head = static_cast<std::int64_t>(config->n_head);
  out.d_model = static_cast<std::int64_t>(config->d_model), out.n_ctx = static_cast<std::int64_t>(config->n_ctx);
  out.n_vocab = static_cast<std::int64_t>(config->n_vocab);
  const model::Parts parts = model::parts_of(header, *config);
  out.has_positions = parts.positions;
  out.missing = parts.missing_parts;
  return out;
}

}  // namespace helix::engine
