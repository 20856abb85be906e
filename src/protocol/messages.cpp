#include "protocol/messages.h"

#include <cmath>
#include <cstdio>

#include "base/text.h"
#include "protocol/json.h"

namespace helix::protocol {
namespace {

std::uint64_t count_at(const Json& json, std::string_view key) {
  const Json* found = find(json, key);
  return found && found->is_number_unsigned() ? found->get<std::uint64_t>() : 0;
}

std::vector<std::string> texts_at(const Json& json, std::string_view key) {
  std::vector<std::string> out;
  if (const Json* list = find(json, key); list && list->is_array())
    for (const Json& item : *list)
      if (item.is_string()) out.push_back(item.get<std::string>());
  return out;
}

Json write(const Open& m) {
  return {{"type", "open"}, {"model", m.model}, {"bytes", m.bytes}, {"sha256", m.sha256}, {"config", m.config_json}};
}
Json write(const Bytes& m) { return {{"type", "bytes"}, {"model", m.model}, {"offset", m.offset}}; }
Json write(const SourceSize& m) {
  return {{"type", "size"}, {"model", m.model}, {"total", m.total}, {"ended", m.ended}};
}
Json write(const SourceFailed& m) { return {{"type", "source_failed"}, {"model", m.model}, {"sentence", m.sentence}}; }
Json write(const Close& m) { return {{"type", "close"}, {"model", m.model}}; }
Json write(const File& m) { return {{"type", "file"}, {"model", m.model}, {"name", m.name}, {"sentence", m.sentence}}; }
Json write(const Cancel& m) { return {{"type", "cancel"}, {"job", m.job}}; }
Json write(const Subject& subject) {
  Json edits = Json::array(), other = Json::array();
  for (const Edit& e : subject.edits) edits.push_back({{"spec", e.spec}, {"on", e.on}});
  for (const Subject& side : subject.other) other.push_back(write(side));
  return {{"prompt", to_hex(subject.prompt)},  // any bytes; JSON has only characters
          {"tokens", subject.tokens},
          {"bos", subject.bos},
          {"keep_last", subject.keep_last},
          {"precision", kPrecisionNames[static_cast<std::size_t>(subject.precision)]},
          {"edits", edits},
          {"other", other}};
}
Json write(const Run& m) {
  Json params = Json::object();
  for (const auto& [key, value] : m.params) params[key] = value;
  return {{"type", "run"},
          {"job", m.job},
          {"slot", m.slot},
          {"study", m.study},
          {"model", m.model},
          {"params", params},
          {"subject", write(m.subject)}};
}

Json write(const Hello& m) {
  return {{"type", "hello"}, {"version", m.version}, {"kernels", m.kernels}, {"schema", m.schema_hash}};
}
Json write(const Need& m) {
  Json ranges = Json::array();
  for (const ByteRange& r : m.ranges) ranges.push_back({r.begin, r.end});
  return {{"type", "need"}, {"model", m.model}, {"ranges", ranges},
          {"have", m.have}, {"want", m.want},   {"afresh", m.afresh}};
}
Json write(const NeedFiles& m) { return {{"type", "need_files"}, {"model", m.model}, {"names", m.names}}; }
Json write(const NeedModel& m) { return {{"type", "need_model"}, {"model", m.model}}; }
Json write(const Opened& m) {
  return {{"type", "opened"},         {"model", m.model},
          {"precision", m.precision}, {"file_bytes", m.file_bytes},
          {"n_layer", m.n_layer},     {"n_head", m.n_head},
          {"d_model", m.d_model},     {"n_ctx", m.n_ctx},
          {"n_vocab", m.n_vocab},     {"has_positions", m.has_positions},
          {"missing", m.missing}};
}
Json write(const Working& m) {
  return {{"type", "progress"}, {"job", m.job},     {"done", m.done},
          {"total", m.total},   {"phase", m.phase}, {"unit", m.unit}};
}
Json write(const Finished& m) {
  return {{"type", "result"}, {"job", m.job}, {"slot", m.slot}, {"result", m.result.header}};
}
constexpr std::pair<Remedy, std::string_view> kRemedies[] = {{Remedy::keep_last, "keep_last"},
                                                             {Remedy::whole_model, "whole_model"}};

Remedy remedy_of(std::string_view name) {
  for (const auto& [remedy, its_name] : kRemedies)
    if (its_name == name) return remedy;
  return Remedy::none;
}

Json write(const Failure& m) {
  return {{"type", "failure"},      {"job", m.job},     {"where", m.where},
          {"sentence", m.sentence}, {"retry", m.retry}, {"remedy", remedy_name(m.remedy)}};
}

Subject read_subject(const Json& json, bool alone = false) {
  Subject subject;
  subject.prompt = from_hex(text_at(json, "prompt"));
  subject.bos = flag_at(json, "bos");
  subject.keep_last = flag_at(json, "keep_last");
  subject.precision = text_at(json, "precision") == kPrecisionNames[1] ? Precision::q8 : Precision::f32;
  if (const Json* tokens = find(json, "tokens"); tokens && tokens->is_array())
    for (const Json& id : *tokens) subject.tokens.push_back(id.is_number_integer() ? id.get<std::int32_t>() : -1);
  if (const Json* edits = find(json, "edits"); edits && edits->is_array())
    for (const Json& e : *edits) subject.edits.push_back({text_at(e, "spec"), flag_at(e, "on", true)});
  if (const Json* other = find(json, "other"); !alone && other && other->is_array() && !other->empty())
    subject.other.push_back(read_subject(other->front(), true));
  return subject;
}

Request read_run(const Json& json) {
  Run m{static_cast<std::uint32_t>(count_at(json, "job")),
        text_at(json, "slot"),
        text_at(json, "study"),
        text_at(json, "model"),
        {},
        {}};
  if (const Json* subject = find(json, "subject")) m.subject = read_subject(*subject);
  if (const Json* params = find(json, "params"); params && params->is_object())
    for (const auto& [key, value] : params->items())
      if (value.is_string()) m.params.emplace_back(key, value.get<std::string>());
  return m;
}

Reply read_need(const Json& json) {
  Need m{text_at(json, "model"), {}, count_at(json, "have"), count_at(json, "want"), flag_at(json, "afresh")};
  if (const Json* ranges = find(json, "ranges"); ranges && ranges->is_array())
    for (const Json& r : *ranges)
      if (r.is_array() && r.size() == 2 && r[0].is_number_unsigned() && r[1].is_number_unsigned())
        m.ranges.push_back({r[0].get<std::uint64_t>(), r[1].get<std::uint64_t>()});
  return m;
}

Reply read_opened(const Json& json) {
  Opened m;
  m.model = text_at(json, "model"), m.precision = text_at(json, "precision");
  m.file_bytes = count_at(json, "file_bytes");
  const auto size = [&](const char* key) { return static_cast<std::int64_t>(number_at(json, key)); };
  m.n_layer = size("n_layer"), m.n_head = size("n_head"), m.d_model = size("d_model");
  m.n_ctx = size("n_ctx"), m.n_vocab = size("n_vocab");
  m.has_positions = flag_at(json, "has_positions");
  m.missing = texts_at(json, "missing");
  return m;
}

}  // namespace

std::string to_text(const Request& request) {
  return std::visit([](const auto& m) { return dump(write(m)); }, request);
}

std::string to_text(const Reply& reply) {
  return std::visit([](const auto& m) { return dump(write(m)); }, reply);
}

Expected<Request> parse_request(std::string_view text) {
  const auto json = parse_json(text);
  const std::string type = json ? text_at(*json, "type") : "";
  if (type.empty()) return Error{"The engine was sent an invalid message: " + in_quotes(text) + "."};
  const std::string model = text_at(*json, "model");
  if (type == "open")
    return Request(Open{model, text_at(*json, "sha256"), text_at(*json, "config"), count_at(*json, "bytes")});
  if (type == "bytes") return Request(Bytes{model, count_at(*json, "offset")});
  if (type == "size") return Request(SourceSize{model, count_at(*json, "total"), flag_at(*json, "ended")});
  if (type == "source_failed") return Request(SourceFailed{model, text_at(*json, "sentence")});
  if (type == "close") return Request(Close{model});
  if (type == "file") return Request(File{model, text_at(*json, "name"), text_at(*json, "sentence")});
  if (type == "run") return read_run(*json);
  if (type == "cancel") return Request(Cancel{static_cast<std::uint32_t>(count_at(*json, "job"))});
  return Error{"The engine does not know the message " + in_quotes(type) + "."};
}

Expected<Reply> parse_reply(std::string_view text, const double* data, std::size_t count) {
  const auto json = parse_json(text);
  const std::string type = json ? text_at(*json, "type") : "";
  if (type.empty()) return Error{"The engine sent an invalid message: " + in_quotes(text) + "."};
  const auto job = static_cast<std::uint32_t>(count_at(*json, "job"));
  if (type == "hello")
    return Reply(Hello{text_at(*json, "version"), text_at(*json, "kernels"), text_at(*json, "schema")});
  if (type == "need") return read_need(*json);
  if (type == "need_files") return Reply(NeedFiles{text_at(*json, "model"), texts_at(*json, "names")});
  if (type == "need_model") return Reply(NeedModel{text_at(*json, "model")});
  if (type == "opened") return read_opened(*json);
  if (type == "progress")
    return Reply(Working{job, number_at(*json, "done"), number_at(*json, "total"), text_at(*json, "phase"),
                         text_at(*json, "unit")});
  if (type == "result") {
    Finished m{job, text_at(*json, "slot"), {text_at(*json, "result"), {}}};
    if (count) m.result.data.assign(data, data + count);
    return Reply(std::move(m));
  }
  if (type == "failure")
    return Reply(Failure{job, text_at(*json, "where"), text_at(*json, "sentence"), flag_at(*json, "retry"),
                         remedy_of(text_at(*json, "remedy"))});
  return Error{"The engine sent an unknown message " + in_quotes(type) + "."};
}

std::string_view remedy_name(Remedy remedy) {
  for (const auto& [its, name] : kRemedies)
    if (its == remedy) return name;
  return "";
}

std::string schema_hash(const std::vector<StudySchema>& schemas) {
  std::string all;
  for (const StudySchema& s : schemas) {
    all += s.id + "{" + std::string(reads_name(s.reads)) + ";";
    for (const ParamSpec& p : s.params) {
      all += p.key + ":" + std::string(type_name(p.type)) + "=" + p.default_text + "[" + helix::to_text(p.min) + "," +
             helix::to_text(p.max) + "]" + std::to_string(p.count) + "," + std::to_string(p.most) + "," +
             std::to_string(p.length);
      for (const Choice& c : p.choices) all += "|" + c.id;
      all += ";";
    }
    for (const OutputSpec& o : s.outputs)
      all += o.name + "(" + join(o.axes, ",") + ")" + o.unit + (o.type == NumberType::f32 ? " f32 " : " ") +
             std::string(role_name(o.role)) + ";";
    for (const ClaimSpec& c : s.claims) all += c.id + ";";
    all += "}";
  }
  return short_hash(all);
}

std::string short_hash(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  char buffer[17];
  std::snprintf(buffer, sizeof buffer, "%016llx", static_cast<unsigned long long>(hash));
  return buffer;
}

}  // namespace helix::protocol
