#include "engine/engine.h"

#include <algorithm>
#include <iterator>

#include "base/target.h"
#include "base/text.h"
#include "engine/bench.h"

namespace helix::engine {

using protocol::Run;

std::string subject_of(const Run& request, const std::string& sha256) {
  std::string all = request.model + "\n" + sha256 + "\n" + request.study;
  for (const auto& [key, value] : request.params) all += "\n" + key + "=" + value;
  const Subject& subject = request.subject;
  all += "\n" + subject.prompt + "\n" + (subject.bos ? "bos" : "") + (subject.keep_last ? "last" : "") +
         std::string(kPrecisionNames[static_cast<std::size_t>(subject.precision)]);
  for (const std::int32_t id : subject.tokens) all += " " + std::to_string(id);
  for (const Edit& edit : subject.edits) all += (edit.on ? "\n" : "\n!") + edit.spec;
  return protocol::short_hash(all);
}

Engine::Engine(const std::vector<studies::ComputeStudy>& studies, std::function<double()> now)
    : studies_(studies), now_(std::move(now)) {
  send(protocol::Hello{std::string(version_name()), std::string(target_name()),
                       protocol::schema_hash(studies::schemas_of(studies_))});
}

void Engine::receive(std::string_view text, std::span<const std::byte> payload) {
  const auto request = protocol::parse_request(text);
  if (!request) {
    send(protocol::Failure{0, "engine", request.error().sentence, false});
    return;
  }
  std::visit([&](const auto& message) { handle(message, payload); }, *request);
}

std::size_t Engine::use_threads(std::size_t count) {
  threads_ = std::make_shared<kernels::Threads>(count);
  return threads_->count();
}

bool Engine::step(double budget) {
  if (!running_ && !start_next()) return false;
  deadline_ = now_() + budget;
  if (!running_->job->step()) return true;
  Running done = std::move(*running_);
  running_.reset();
  Outcome outcome = done.job->take();
  if (outcome)
    send_result(done.request, *done.study, std::move(*outcome));
  else
    fail(done.request, outcome.error(), lacks_files(done.request));
  return !waiting_.empty();
}

// ---- sources

void Engine::handle(const protocol::Open& open, std::span<const std::byte>) {
  if (sources_.contains(open.model)) {
    Source& source = sources_.at(open.model);
    source.forget_failed_files();
    source.take_config(open.config_json);
    if (source.file->header()) announce(source);  // who opens it again has forgotten what it is
    if (source.failure.empty()) return;
    source.failure.clear();  // another try: what has arrived is kept, the rest is asked for again
    source.requested = {};
    if (source.file->missing().empty()) source = Source(open);  // what is wrong with the file is final: read it anew
  } else {
    sources_.emplace(open.model, Source(open));
  }
  Source& source = sources_.at(open.model);
  if (open.bytes)
    if (const auto ok = source.file->set_file_bytes(open.bytes); !ok) return source_failed(source, ok.error().sentence);
  request_missing(source, true);
}

void Engine::handle(const protocol::Bytes& bytes, std::span<const std::byte> payload) {
  Source* source = find_source(bytes.model);
  if (!source || !source->failure.empty()) return;
  if (const auto fed = source->file->feed(bytes.offset, payload); !fed)
    return source_failed(*source, fed.error().sentence);
  source->requested.remove({bytes.offset, bytes.offset + payload.size()});
  after_bytes(*source);
}

void Engine::handle(const protocol::SourceSize& size, std::span<const std::byte>) {
  Source* source = find_source(size.model);
  if (!source || !source->failure.empty()) return;
  const auto ok = size.ended ? source->file->ended(size.total) : source->file->set_file_bytes(size.total);
  if (!ok) return source_failed(*source, ok.error().sentence);
  if (size.ended) source->requested = {};  // nothing more comes by itself
  after_bytes(*source, size.ended);
}

void Engine::handle(const protocol::SourceFailed& failed, std::span<const std::byte>) {
  if (Source* source = find_source(failed.model)) source_failed(*source, failed.sentence);
}

void Engine::handle(const protocol::Close& close, std::span<const std::byte>) {
  Source* source = find_source(close.model);
  if (!source) return;
  if (source->failure.empty())
    source_failed(*source, "The weights of " + close.model + " were closed while they were being read.");
  sources_.erase(close.model);
}

void Engine::handle(const protocol::File& file, std::span<const std::byte> payload) {
  Source* source = find_source(file.model);
  if (!source) return;
  source->take_file(file.name, {reinterpret_cast<const char*>(payload.data()), payload.size()}, file.sentence);
  want_again(*source);
  request_missing(*source);
}

void Engine::after_bytes(Source& source, bool ended) {
  if (source.file->header() && !source.announced) {
    announce(source);
    want_again(source);
  }
  request_missing(source, ended);
}

/// Only with the header can it be told which tensors a text needs, and only with the tokenizer which rows.
void Engine::want_again(const Source& source) {
  for (const Run& run : waiting_)
    if (run.model == source.info.model) static_cast<void>(readiness(run));
}

void Engine::announce(Source& source) {
  source.announced = true;
  send(source.describe());
}

void Engine::request_missing(Source& source, bool afresh) {
  if (auto names = source.take_unrequested_files(); !names.empty())
    send(protocol::NeedFiles{source.info.model, std::move(names)});
  auto ranges = source.take_unrequested();
  const model::Arrived arrived = source.file->arrived();
  if (!ranges.empty() || arrived.needed > 0 || afresh)
    send(protocol::Need{source.info.model, std::move(ranges), arrived.have, arrived.needed, afresh});
}

void Engine::source_failed(Source& source, const std::string& sentence) {
  source.failure = sentence;
  const std::deque<Run> waiting = std::exchange(waiting_, {});
  bool told = false;
  for (const Run& run : waiting) {
    if (run.model == source.info.model && readiness(run) == Readiness::failed) {
      fail(run, {sentence}, true);
      told = true;
    } else {
      waiting_.push_back(run);
    }
  }
  if (!told) send(protocol::Failure{0, source.info.model, sentence, true});
  send(protocol::Need{source.info.model, {}, 0, 0, true});  // a download under way can stop
}

// ---- jobs

void Engine::handle(const Run& request, std::span<const std::byte>) {
  drop_panel(request.panel);
  const studies::ComputeStudy* study = find_study(request.study);
  if (!study) return fail(request, {"There is no study " + in_quotes(request.study) + "."}, false);
  Run checked = request;
  checked.params = defaults(study->schema);
  for (const auto& [key, value] : request.params)
    if (const auto set = set_value(study->schema, checked.params, key, value, true); !set)
      return fail(request, set.error(), false);
  switch (readiness(checked)) {
    case Readiness::failed: {
      const Source* source = find_source(checked.model);
      return fail(checked, {source ? source->failure : "No model " + in_quotes(checked.model) + " is open."},
                  source != nullptr);
    }
    case Readiness::waiting:
      request_missing(*find_source(checked.model));
      break;
    case Readiness::ready:
      break;
  }
  waiting_.push_back(std::move(checked));
}

void Engine::handle(const protocol::Cancel& cancel, std::span<const std::byte>) {
  if (running_ && running_->request.job == cancel.job) running_.reset();
  std::erase_if(waiting_, [&](const Run& run) { return run.job == cancel.job; });
}

Engine::Readiness Engine::readiness(const Run& request) {
  const studies::ComputeStudy* study = find_study(request.study);
  std::vector<std::string> needs = study->needs(request.params);
  const Reads reads = study->schema.reads;
  Source* source = find_source(request.model);
  if (!source) return needs.empty() && reads == Reads::weights ? Readiness::ready : Readiness::failed;
  const bool files_known =
      (!reads_prompt(reads) || source->settle_tokenizer()) && (reads != Reads::training || source->settle_training());
  const bool runs_now = !runs_model(reads) || source->settle_network(request.subject, reads, threads_);
  const bool failed = !source->failure.empty();
  source->file->want(needs);
  // Even a study that reads no tensor takes its sizes from an open model, so that a link gives one answer.
  if (!source->file->header())
    return !failed                                              ? Readiness::waiting
           : needs.empty() && !runs_model(reads) && files_known ? Readiness::ready
                                                                : Readiness::failed;
  for (const std::string& name : needs)
    if (source->file->header()->find(name) && !source->file->has(name))
      return failed ? Readiness::failed : Readiness::waiting;
  if (!files_known || !runs_now) return failed ? Readiness::failed : Readiness::waiting;
  return Readiness::ready;  // a tensor the file lacks is the study's to say
}

bool Engine::start_next() {
  const auto ready =
      std::find_if(waiting_.begin(), waiting_.end(), [&](const Run& r) { return readiness(r) == Readiness::ready; });
  if (ready == waiting_.end()) return false;
  Run request = std::move(*ready);
  waiting_.erase(ready);
  start(std::move(request));
  return true;
}

void Engine::start(Run request) {
  auto running = std::make_unique<Running>();
  running->study = find_study(request.study);
  studies::Inputs inputs;
  if (const Source* source = find_source(request.model)) {
    if (source->file->header()) inputs.weights = source->file;
    inputs.tokenizer = source->tokenizer, inputs.no_tokenizer = source->no_tokenizer;
    inputs.training = source->training, inputs.no_training = source->no_training;
    const Source::Network& ready = source->network_for(request.subject.precision);
    inputs.network = ready.network, inputs.session = ready.session, inputs.no_network = source->no_network;
    inputs.provenance.model = request.model;
    inputs.provenance.sha256 = source->info.sha256.substr(0, 12);
  }
  inputs.subject = request.subject;
  inputs.provenance.kernels = target_name();
  inputs.provenance.version = version_name();
  auto& memory = memories_[request.study];
  if (!memory) memory = std::make_shared<std::shared_ptr<void>>();
  inputs.memory = memory;
  Running* self = running.get();
  inputs.on_first_picture = [this, self](protocol::Result first) {
    send_result(self->request, *self->study, std::move(first));
  };
  running->request = std::move(request);
  running->job = std::make_unique<Job<Outcome>>(running->study->run(running->request.params, std::move(inputs)));
  JobContext& context = running->job->context();
  context.should_pause = [this] { return now_() >= deadline_; };
  context.on_progress = [this, self](Progress p) {
    if (now_() - self->last_progress < 100) return;  // more often than anyone reads
    self->last_progress = now_();
    send(protocol::Working{self->request.job, p.done, p.total, std::string(p.phase), ""});
  };
  running_ = std::move(running);
  running_->last_progress = now_();
}

void Engine::drop_panel(const std::string& panel) {
  if (running_ && running_->request.panel == panel) running_.reset();
  std::erase_if(waiting_, [&](const Run& run) { return run.panel == panel; });
}

/// Whether a file beside the weights could not be had: another try asks for it again.
bool Engine::lacks_files(const Run& request) {
  const Source* source = find_source(request.model);
  return source && std::ranges::any_of(source->files, [](const auto& file) { return !file.second.failure.empty(); });
}

const studies::ComputeStudy* Engine::find_study(const std::string& id) const {
  if (id == bench().schema.id) return &bench();
  const auto it = std::find_if(studies_.begin(), studies_.end(), [&](const auto& s) { return s.schema.id == id; });
  return it == studies_.end() ? nullptr : &*it;
}

Source* Engine::find_source(const std::string& model) {
  const auto it = sources_.find(model);
  return it == sources_.end() ? nullptr : &it->second;
}

// ---- replies

void Engine::send(const protocol::Reply& reply) { outgoing_.push_back({protocol::to_text(reply), {}}); }

void Engine::send_result(const Run& request, const studies::ComputeStudy& study, protocol::Result result) {
  const Source* source = find_source(request.model);
  result.subject = subject_of(request, source ? source->info.sha256 : "");
  protocol::EncodedResult encoded = protocol::encode(result, study.schema);
  std::vector<double> data = std::move(encoded.data);
  outgoing_.push_back(
      {protocol::to_text(protocol::Finished{request.job, request.panel, std::move(encoded)}), std::move(data)});
}

void Engine::fail(const Run& request, Error error, bool retry) {
  send(protocol::Failure{request.job, request.study, std::move(error.sentence), retry, error.remedy});
}

}  // namespace helix::engine
