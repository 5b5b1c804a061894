#include <nextstat/session.h>

#include <fmt/format.h>
#include <unistd.h>

#include <limits>
#include <memory>
#include <stdexcept>
#include <utility>

#include "base/try.h"
#include "infer/setup/open_session.h"
#include "model/compile/compiled_model.h"

namespace nextstat {

struct Session::Opened {
  Model model;
  SessionOptions options;
  std::unique_ptr<DeviceSession> session;
  DeviceUse use;
  std::string instruction_set;
  bool f64 = true;
  pid_t process = getpid();
  std::recursive_mutex turn = {};  // a question may ask others
};

Session::Session(std::unique_ptr<Opened> opened) : opened_(std::move(opened)) {}
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;

// The driver of a device belongs to the process that started it: a child leaves it alone.
Session::~Session() {
  if (opened_ && opened_->process != getpid()) static_cast<void>(opened_.release());
}

Session::Opened& Session::opened() const {
  if (!opened_) throw std::logic_error("a session was used after it was moved");
  return *opened_;
}

Result<Session> Session::open(const Model& model, const SessionOptions& options) {
  RunOptions run;
  run.device = options.device;
  run.fallback = options.fallback;
  run.device_memory = options.device_memory;
  run.threads = options.threads;
  run.instruction_set = options.instruction_set;
  TRY(OpenedSession opened,
      open_session(model, run, {.fits = std::numeric_limits<double>::infinity()}));  // who knows what comes
  const SessionTraits traits = opened.session->traits();
  return Session(std::unique_ptr<Opened>(new Opened{
      model, options, std::move(opened.session), std::move(opened.use), traits.instruction_set, traits.f64}));
}

const Model& Session::model() const { return opened().model; }
const SessionOptions& Session::options() const { return opened().options; }
const DeviceUse& Session::device() const { return opened().use; }
const std::string& Session::instruction_set() const { return opened().instruction_set; }

Capabilities Session::capabilities() const {
  DeviceInfo device;
  device.fp64 = opened().f64 ? Fp64::Full : Fp64::None;
  return capabilities_of(device);
}

Traffic Session::traffic() const { return opened().session->traffic(); }

namespace {

// The session whose question calls on_progress in this thread: it cannot answer another one until that returns.
thread_local const void* reporting = nullptr;

// The settings that are the session's own, where a question gives other ones.
Result<void> check_settings(const Session& session, const SessionOptions& asked) {
  const SessionOptions &own = session.options(), none;
  const auto check = [&](Field field, const auto& value, const auto& nothing,
                         const auto& its) -> Result<void> {
    if (value == nothing || value == its) return {};
    return Error{ErrorCode::BadUsage, field,
                 fmt::format("the session is open on {} with {}, and the question asks for {}",
                             session.device().name, its, value),
                 "leave it out, or open a session with it"};
  };
  if (asked.device != session.device().name)
    TRY_DO(check(Field::Device, asked.device, none.device, own.device));
  TRY_DO(check(Field::Fallback, asked.fallback, none.fallback, own.fallback));
  TRY_DO(check(Field::DeviceMemory, asked.device_memory, none.device_memory, own.device_memory));
  TRY_DO(check(Field::Threads, asked.threads, none.threads, own.threads));
  if (asked.instruction_set == own.instruction_set) return {};
  return check(Field::InstructionSet, asked.instruction_set, none.instruction_set, session.instruction_set());
}

}  // namespace

void Session::answer_here(RunOptions& options) {
  options.session = this;
  if (!options.on_progress) return;
  options.on_progress = [report = std::move(options.on_progress), asked = &opened()](std::size_t done,
                                                                                     std::size_t total) {
    const void* const outer = std::exchange(reporting, asked);
    const std::shared_ptr<void> back(nullptr, [outer](void*) { reporting = outer; });
    report(done, total);
  };
}

Result<LentSession> lend(Session& session, const Model& model, const SessionOptions& asked) {
  Session::Opened& opened = session.opened();
  if (opened.process != getpid()) {
    return Error{ErrorCode::BadUsage, "session", "it was opened in the process that this one was forked from",
                 "open a session in this process"};
  }
  if (&compiled_model(model) != &compiled_model(opened.model)) {
    return Error{ErrorCode::BadUsage, "session", "it is open with another model than the question is about",
                 "open a session with this model"};
  }
  if (reporting == &opened)
    return Error{ErrorCode::BadUsage, "session", "it is busy with the question that this report is about",
                 "ask when the question is answered, or ask another session"};
  TRY_DO(check_settings(session, asked));
  LentSession lent;
  lent.turn = std::unique_lock(opened.turn);
  lent.session = opened.session.get();
  lent.use = opened.use;
  lent.threads = opened.options.threads;
  return lent;
}

Result<LentSession> session_for(const Model& model, const RunOptions& options, const WorkEstimate& work) {
  if (options.session != nullptr) {
    return lend(
        *options.session, model,
        {options.device, options.fallback, options.device_memory, options.threads, options.instruction_set});
  }
  TRY(OpenedSession opened, open_session(model, options, work));
  LentSession lent;
  lent.own = std::move(opened.session);
  lent.session = lent.own.get();
  lent.use = std::move(opened.use);
  lent.threads = options.threads;
  return lent;
}

}  // namespace nextstat
