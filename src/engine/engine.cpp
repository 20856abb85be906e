#include "engine/engine.h"

#include <algorithm>
#include <iterator>

#include "base/target.h"
#include "base/text.h"
#include "engine/bench.h"
#include "studies/known_model_compute.h"

namespace helix::engine {

using protocol::Run;

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
  // The page's models may have changed, unless this one answers a NeedModel.
  if (asked_.erase(open.model) == 0) refused_.clear();
  refused_.erase(open.model);
  if (sources_.contains(open.model)) {
    Source& source = sources_.at(open.model);
    source.forget_failed_files();
    source.take_config(open.config_json);
    if (source.file->header()) announce(source);  // a page that opens the model again has lost its header
    if (source.failure.empty()) return;
    source.failure.clear();  // another try: what has arrived is kept, the rest is asked for again
    source.requested = {};
    if (source.file->missing().empty()) source = Source(open);  // a fault of the file is final: read it anew
  } else {
    sources_.emplace(open.model, Source(open));
  }
  Source& source = sources_.at(open.model);
  if (open.bytes)
    if (const auto ok = source.file->set_file_bytes(open.bytes); !ok) return source_failed(source, ok.error().sentence);
  want_again();
  request_missing(source, true);
  request_missing_everywhere();
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
  if (Source* source = find_source(failed.model)) return source_failed(*source, failed.sentence);
  if (asked_.erase(failed.model) == 0) return;
  refused_[failed.model] = failed.sentence;
  fail_waiting(failed.model);
}

void Engine::handle(const protocol::Close& close, std::span<const std::byte>) {
  Source* source = find_source(close.model);
  if (!source) return;
  if (source->failure.empty()) {  // the page closed it: only runs that wait for it have to know
    source->failure = "The weights of " + close.model + " were closed while they were being read.";
    fail_waiting(close.model);
  }
  for (const Source::Network& network : source->networks) store_->forget(network.network.get());
  store_->forget(source->file.get());
  memories_.clear();  // a running job keeps its own; the others may hold what belongs to the closed model
  sources_.erase(close.model);
}

void Engine::handle(const protocol::File& file, std::span<const std::byte> payload) {
  Source* source = find_source(file.model);
  if (!source) return;
  source->take_file(file.name, {reinterpret_cast<const char*>(payload.data()), payload.size()}, file.sentence);
  want_again();
  request_missing(*source);
  request_missing_everywhere();
}

void Engine::after_bytes(Source& source, bool ended) {
  if (source.file->header() && !source.announced) {
    announce(source);
    want_again();
  }
  request_missing(source, ended);
  request_missing_everywhere();
}

void Engine::announce(Source& source) {
  source.announced = true;
  const protocol::Opened opened = source.describe();
  const auto size = [](std::int64_t n) { return static_cast<std::size_t>(n); };
  source.size = {size(opened.n_layer), size(opened.n_head), size(opened.d_model), size(opened.n_ctx),
                 size(opened.n_vocab)};
  send(opened);
}

void Engine::want(const Run& request) {
  for (const studies::ModelNeeds& needs : needs_of(request)) {
    if (Source* source = find_source(needs.model))
      source->want(needs, request.subject, threads_);
    else if (needs.model != request.model && !refused_.contains(needs.model) && asked_.insert(needs.model).second)
      send(protocol::NeedModel{needs.model});
  }
}

void Engine::want_again() {
  for (const Run& run : waiting_) want(run);
}

void Engine::request_missing(Source& source, bool afresh) {
  if (auto names = source.take_unrequested_files(); !names.empty())
    send(protocol::NeedFiles{source.info.model, std::move(names)});
  auto ranges = source.take_unrequested();
  const checkpoint::Arrived arrived = source.file->arrived();
  if (!ranges.empty() || arrived.needed > 0 || afresh)
    send(protocol::Need{source.info.model, std::move(ranges), arrived.have, arrived.needed, afresh});
}

void Engine::request_missing_everywhere() {
  for (auto& [name, source] : sources_)
    if (source.failure.empty() && source.has_unrequested()) request_missing(source);
}

bool Engine::fail_waiting(const std::string& model) {
  const std::deque<Run> waiting = std::exchange(waiting_, {});
  bool concerned = false;
  for (const Run& run : waiting) {
    const Standing now = standing(run);
    const bool failed = now.readiness == Readiness::failed;
    const auto tells = [&](const studies::ModelNeeds& needs) {
      return needs.model == model && (failed || needs.optional);  // an optional one's sentence is in the result
    };
    concerned = concerned || std::ranges::any_of(needs_of(run), tells);
    if (failed)
      fail(run, {now.sentence}, now.retry);
    else
      waiting_.push_back(run);
  }
  return concerned;
}

void Engine::source_failed(Source& source, const std::string& sentence) {
  source.failure = sentence;
  if (!fail_waiting(source.info.model)) send(protocol::Failure{0, source.info.model, sentence, true});
  send(protocol::Need{source.info.model, {}, 0, 0, true});  // a download under way can stop
}

// ---- jobs

void Engine::handle(const Run& request, std::span<const std::byte>) {
  drop_slot(request.slot);
  const studies::ComputeStudy* study = find_study(request.study);
  if (!study) return fail(request, {"There is no study " + in_quotes(request.study) + "."}, false);
  Run checked = request;
  checked.params = defaults(study->schema);
  for (const auto& [key, value] : request.params)
    if (const auto set = set_value(study->schema, checked.params, key, value, true); !set)
      return fail(request, set.error(), false);
  want(checked);
  const Standing now = standing(checked);
  if (now.readiness == Readiness::failed) return fail(checked, {now.sentence}, now.retry);
  if (now.readiness == Readiness::waiting)
    for (const studies::ModelNeeds& needs : needs_of(checked))
      if (Source* source = find_source(needs.model)) request_missing(*source);
  waiting_.push_back(std::move(checked));
}

void Engine::handle(const protocol::Cancel& cancel, std::span<const std::byte>) {
  if (running_ && running_->request.job == cancel.job) running_.reset();
  std::erase_if(waiting_, [&](const Run& run) { return run.job == cancel.job; });
}

std::vector<studies::ModelNeeds> Engine::needs_of(const Run& request) const {
  const studies::Known known{[this](const std::string& name) -> std::optional<studies::ModelSize> {
                               const Source* source = find_source(name);
                               return source ? source->size : std::nullopt;
                             },
                             [this, &request] {
                               const Source* source = find_source(request.model);
                               return source ? source->tokens_of(request.subject) : std::vector<std::int32_t>();
                             }};
  return studies::all_needs(*find_study(request.study), request.params, request.model, known);
}

Engine::Standing Engine::standing(const studies::ModelNeeds& needs, const Run& request) const {
  if (const Source* source = find_source(needs.model)) {
    const Readiness readiness = source->readiness(needs, request.subject);
    return {readiness, readiness == Readiness::failed ? source->failure : "", readiness == Readiness::failed};
  }
  if (asked_.contains(needs.model)) return {Readiness::waiting};
  if (const auto refused = refused_.find(needs.model); refused != refused_.end())
    return {Readiness::failed, refused->second, true};
  return {Readiness::failed, "No model " + (needs.model.empty() ? "" : in_quotes(needs.model) + " ") + "is open."};
}

Engine::Standing Engine::standing(const Run& request) const {
  Standing all;
  for (const studies::ModelNeeds& needs : needs_of(request)) {
    Standing one = standing(needs, request);
    if (one.readiness == Readiness::failed && !needs.optional) return one;
    if (one.readiness == Readiness::waiting) all = one;
  }
  return all;
}

bool Engine::start_next() {
  want_again();
  request_missing_everywhere();
  const auto ready =
      std::ranges::find_if(waiting_, [&](const Run& run) { return standing(run).readiness == Readiness::ready; });
  if (ready == waiting_.end()) return false;
  Run request = std::move(*ready);
  waiting_.erase(ready);
  start(std::move(request));
  return true;
}

studies::ModelInputs Engine::inputs_of(const studies::ModelNeeds& needs, const Run& request) const {
  studies::ModelInputs inputs;
  inputs.name = needs.model;
  const Standing now = standing(needs, request);
  if (now.readiness != Readiness::ready) {
    inputs.why_not = now.sentence;
    return inputs;
  }
  const Source& source = *find_source(needs.model);
  if (source.file->header()) inputs.weights = source.file;
  inputs.sha256 = source.info.sha256.substr(0, 12);
  inputs.tokenizer = source.tokenizer, inputs.no_tokenizer = source.no_tokenizer;
  const Source::Network& network = source.network_for(request.subject.precision);
  inputs.network = network.network, inputs.session = network.sessions, inputs.no_network = source.no_network;
  inputs.pinned = std::make_shared<const checkpoint::Pinned>(source.file, studies::tensors_of(needs));
  return inputs;
}

void Engine::start(Run request) {
  auto running = std::make_unique<Running>();
  running->study = find_study(request.study);
  studies::Inputs inputs;
  if (const Source* source = find_source(request.model)) {
    if (source->file->header()) inputs.weights = source->file;
    inputs.size = source->size;
    inputs.tokenizer = source->tokenizer, inputs.no_tokenizer = source->no_tokenizer;
    inputs.training = source->training, inputs.no_training = source->no_training;
    const Source::Network& ready = source->network_for(request.subject.precision);
    inputs.network = ready.network, inputs.session = ready.sessions, inputs.no_network = source->no_network;
    inputs.provenance.model = request.model;
    inputs.provenance.sha256 = source->info.sha256.substr(0, 12);
  }
  for (const studies::ModelNeeds& needs : needs_of(request)) inputs.models.push_back(inputs_of(needs, request));
  inputs.subject = request.subject;
  inputs.provenance.kernels = target_name();
  inputs.provenance.version = version_name();
  inputs.store = store_;
  auto& memory = memories_[request.study];
  if (!memory) memory = std::make_shared<std::shared_ptr<void>>();
  inputs.memory = memory;
  Running* self = running.get();
  inputs.on_first_picture = [this, self](protocol::Result first) {
    send_result(self->request, *self->study, std::move(first));
  };
  running->request = std::move(request);
  running->job =
      std::make_unique<Job<Outcome>>(studies::run_judged(*running->study, running->request.params, std::move(inputs)));
  JobContext& context = running->job->context();
  context.should_pause = [this] { return now_() >= deadline_; };
  context.on_progress = [this, self](Progress p) {
    if (now_() - self->last_progress < 100) return;  // faster than anyone reads
    self->last_progress = now_();
    send(protocol::Working{self->request.job, p.done, p.total, std::string(p.phase), ""});
  };
  running_ = std::move(running);
  running_->last_progress = now_();
}

void Engine::drop_slot(const std::string& slot) {
  if (running_ && running_->request.slot == slot) running_.reset();
  std::erase_if(waiting_, [&](const Run& run) { return run.slot == slot; });
}

/// Whether a file beside the weights could not be had: another try asks for it again.
bool Engine::lacks_files(const Run& request) const {
  const auto failed = [](const auto& file) { return !file.second.failure.empty(); };
  return std::ranges::any_of(needs_of(request), [&](const studies::ModelNeeds& needs) {
    const Source* source = find_source(needs.model);
    return source && std::ranges::any_of(source->files, failed);
  });
}

/// The hash of the run's own model, and those of the others that are there.
std::string Engine::hashes_of(const Run& request) const {
  const Source* own = find_source(request.model);
  std::string all = own ? own->info.sha256 : "";
  for (const studies::ModelNeeds& needs : needs_of(request))
    if (const Source* other = find_source(needs.model); other && other != own && other->failure.empty())
      all += " " + needs.model + " " + other->info.sha256;
  return all;
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

const Source* Engine::find_source(const std::string& model) const {
  const auto it = sources_.find(model);
  return it == sources_.end() ? nullptr : &it->second;
}

// ---- replies

void Engine::send(const protocol::Reply& reply) { outgoing_.push_back({protocol::to_text(reply), {}}); }

namespace {

Expected<void> check_size(const protocol::Result& result) {
  std::size_t numbers = 0;
  for (const protocol::Array& array : result.arrays) numbers += array.data.size();
  if (numbers <= Engine::kMostNumbers) return {};
  const auto counted = [](std::size_t n) { return with_thousands(static_cast<long long>(n)); };
  return Error{"The result has " + counted(numbers) + " numbers, and the page shows at most " +
               counted(Engine::kMostNumbers) + "; give fewer tokens or rows."};
}

}  // namespace

void Engine::send_result(const Run& request, const studies::ComputeStudy& study, protocol::Result result) {
  result.fingerprint = fingerprint_of(request, hashes_of(request));
  if (const auto fits = check_size(result); !fits) return fail(request, fits.error(), false);
  protocol::EncodedResult encoded = protocol::encode(result, study.schema);
  std::vector<double> data = std::move(encoded.data);
  outgoing_.push_back(
      {protocol::to_text(protocol::Finished{request.job, request.slot, std::move(encoded)}), std::move(data)});
}

void Engine::fail(const Run& request, Error error, bool retry) {
  send(protocol::Failure{request.job, request.study, std::move(error.sentence), retry, error.remedy});
}

}  // namespace helix::engine
