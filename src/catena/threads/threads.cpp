#include "catena/threads/threads.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <thread>

#include "catena/base/mistake.h"
#include "catena/base/words.h"
#include "catena/lab/inside.h"
#include "catena/lab/lane_stepper.h"
#include "catena/threads/case_starts.h"
#include "catena/threads/compiler.h"
#include "catena/threads/device.h"
#include "catena/threads/gpu_runner.h"
#include "catena/threads/taken_cases.h"

namespace catena {
namespace {

// On this processor: steps in lanes, and so is what is usual about them; what is rare is measured one lane
// after the other.
class LaneRunner final : public ChunkRunner {
 public:
  LaneRunner(const Sweep& sweep, const ThreadProgram& program, std::unique_ptr<ChunkRunner> labs,
             std::atomic<std::uint64_t>& redone)
      : program_(program),
        interpreted_(program),
        near_(program.near_of, program.near_of.inputs > 0 ? program.given() : 0),
        angles_(program.angles_of, program.angles_of.inputs > 0 ? program.given() : 0),
        given_of_(program.given_of),
        labs_(std::move(labs)),
        redone_(redone),
        measures_(sweep.plan().measures.size()),
        starts_(sweep, program),
        lab_(*program.scene),
        tape_size_(program.numbers == 0 ? 0 : lane_numbers(lab_.inside().world).values().size()),
        start_(program.start_numbers()) {
    const NumberTape numbers = lane_numbers(lab_.inside().world);
    for (NumberTape& one : tapes_) one = numbers;
    make_lanes();
    polynomial_.resize(program.rule.order, program.states);
    for (State* state : {&from_, &to_}) state->hi.resize(program.states), state->lo.resize(program.states);
    for (auto& seat : seats_) seat = std::make_unique<Seat>();
    for (auto& seat : seats_) seat->given.resize(program.given());
    near_in_.assign(program.near_of.inputs, S(0.0));
    margins_.assign(program.events, S(0.0));
    end_in_.assign(program.angles_of.inputs, S(0.0));
    wrapped_.assign(program.angles.size(), S(0.0));
  }

  // Runs no more cases.
  std::unique_ptr<ChunkRunner> take_labs() { return std::move(labs_); }

  SweepChunk run(std::uint64_t first, std::uint64_t count, const std::atomic<bool>* stop) override {
    TakenCases chunk(first, count, measures_);
    std::uint64_t next = 0;
    for (int l = 0; l < kWidth; ++l) leave(l);
    while (!is_stopped(stop)) {
      bool is_any = false;
      for (int l = 0; l < kWidth; ++l) {
        while (!seats_[l]->is_taken && next < count) begin(l, first, next++, chunk, stop);
        is_any = is_any || seats_[l]->is_taken;
      }
      if (!is_any) break;
      if (have_other_numbers_) make_lanes();
      lanes_->step();
      look_at_all();
      for (int l = 0; l < kWidth; ++l) {
        if (seats_[l]->is_taken) look(l, chunk, stop);
      }
      lanes_->go_on();
    }
    return chunk.taken();
  }

 private:
  static constexpr int kWidth = 4;
  using S = LanesOf<kWidth>;
  struct Seat {
    std::vector<double> given;  // of its case
    bool is_new = false;        // it has not stepped yet
    bool is_taken = false;
    std::uint64_t number = 0;
    threads::Motion<InterpretedProgram> motion;
    threads::Track<InterpretedProgram> track;
    threads::Moment<InterpretedProgram> end;
  };

  // Programs have no kinks but poles (catena/threads/program.cpp), which nobody looks for.
  static LaneSystem<kWidth> without_kinks(LaneSystem<kWidth> system) {
    system.smooth_until = nullptr;
    return system;
  }
  // The worlds of all lanes, from the numbers of their cases; motions go on from where they are.
  void make_lanes() {
    std::vector<const NumberTape*> tapes;
    for (const NumberTape& one : tapes_) tapes.push_back(&one);
    auto made = std::make_unique<LaneTaylor<kWidth>>(
        without_kinks(lane_worlds<kWidth>(lab_.inside().world, tapes).system), program_.rule);
    for (int l = 0; lanes_ != nullptr && l < kWidth; ++l) {
      lanes_->read_start(l, from_);
      made->seat(l, from_, seats_[l]->is_new ? program_.task.first : 0.0, program_.task.longest);
      if (!lanes_->seated(l)) made->vacate(l);
    }
    lanes_ = std::move(made);
    have_other_numbers_ = false;
  }
  // Of the case that begins in a lane. False: what was recorded does not hold for it.
  bool take_numbers(int l) {
    if (program_.numbers == 0) return true;
    const double* const numbers = start_.data() + 2 * program_.states + program_.angles.size();
    Seat& seat = *seats_[l];
    if (!given_of_.run(numbers, seat.given.data())) return false;
    for (InterpreterOf<S>* one : {&near_, &angles_}) {
      if (one->inputs() == 0) continue;
      for (std::size_t k = 0; k < seat.given.size(); ++k) one->given()[k].set_lane(l, seat.given[k]);
    }
    std::vector<double> values(numbers, numbers + tape_size_);
    have_other_numbers_ = have_other_numbers_ || values != tapes_[l].values();
    tapes_[l] = NumberTape(std::move(values), {});
    return true;
  }
  void leave(int l) {
    seats_[l]->is_taken = false;
    lanes_->vacate(l);
  }
  void redo(int l, TakenCases& chunk, const std::atomic<bool>* stop) {
    ++redone_;
    chunk.redo(seats_[l]->number, *labs_, stop);
    leave(l);
  }

  void begin(int l, std::uint64_t first, std::uint64_t number, TakenCases& chunk,
             const std::atomic<bool>* stop) {
    Seat& seat = *seats_[l];
    seat.number = number;
    if (starts_.is_skipped(first + number)) return chunk.skip(number);
    if (!starts_.write(first + number, start_.data()) || !take_numbers(l)) return redo(l, chunk, stop);
    seat.is_new = true;
    if (program_.numbers > 0) interpreted_.give(seat.given);
    const std::size_t n = program_.states;
    std::copy_n(start_.data() + 2 * n, program_.angles.size(), seat.track.start.turns);
    seat.track.start.in[0] = 0.0;
    std::copy_n(start_.data(), n, seat.track.start.in + 1);
    if (!threads::begin(interpreted_, program_.task, seat.track)) return redo(l, chunk, stop);
    from_.t = from_.t_lo = 0.0;
    std::copy_n(start_.data(), n, from_.hi.data());
    std::copy_n(start_.data() + n, n, from_.lo.data());
    lanes_->seat(l, from_, program_.task.first, program_.task.longest);
    seat.is_taken = true;
  }

  // Of all lanes: when the step is over, whether events can happen in it, angles at its end.
  void look_at_all() {
    S to = lanes_->length();
    for (int l = 0; l < kWidth; ++l) {
      if (!seats_[l]->is_taken) continue;
      threads::Motion<InterpretedProgram>& m = seats_[l]->motion;
      m.t = lanes_->start_time().lane(l);
      m.t_lo = lanes_->start_time_lo().lane(l);
      m.h = lanes_->length(l);
      m.t_end = lanes_->end_time().hi.lane(l);
      m.t_end_lo = lanes_->end_time().lo.lane(l);
      to.set_lane(l, threads::until(m, seats_[l]->track.end));
    }
    holds_near_ = !margins_.empty() && find_margins(to);
    if (wrapped_.empty()) return;
    end_in_[0] = lanes_->end_time().hi;
    for (std::size_t i = 0; i < program_.states; ++i) end_in_[1 + i] = lanes_->end(i);
    holds_angles_ = angles_.run(end_in_.data(), wrapped_.data());
  }
  // As threads::has_no_event.
  bool find_margins(const S& to) {
    const std::size_t angles = program_.angles.size(), n = program_.states;
    S largest(0.0);
    for (std::size_t i = 0; i < program_.controlled; ++i) {
      const S size = size_of(lanes_->start(i));
      largest = choose(size > largest, size, largest);
    }
    S* in = near_in_.data();
    *in++ = lanes_->start_time();
    *in++ = to;
    *in++ = choose(S(1.0) < largest, largest, S(1.0));
    for (std::size_t a = 0; a < angles; ++a, ++in) {
      for (int l = 0; l < kWidth; ++l) in->set_lane(l, seats_[l]->track.start.in[1 + n + a]);
    }
    for (const std::size_t i : program_.near_states) {
      *in++ = lanes_->start(i);
      for (int k = 1; k <= program_.rule.order; ++k) *in++ = lanes_->coefficient(k, i);
    }
    return near_.run(near_in_.data(), margins_.data());
  }

  bool has_no_event(int l) const {
    if (margins_.empty()) return true;
    double margin[threads::kMostEvents];
    for (std::size_t e = 0; e < margins_.size(); ++e) margin[e] = margins_[e].lane(l);
    return holds_near_ && threads::are_clear(interpreted_, program_.task, margin, seats_[l]->track);
  }

  void look(int l, TakenCases& chunk, const std::atomic<bool>* stop) {
    Seat& seat = *seats_[l];
    threads::Motion<InterpretedProgram>& m = seat.motion;
    if (lanes_->status(l) != StepStatus::done || m.h < shortest(m.t)) return redo(l, chunk, stop);
    seat.is_new = false;
    const bool is_quiet = has_no_event(l);
    const bool is_usual = is_quiet && m.t_end < seat.track.end && !program_.looks_along &&
                          !program_.looks_at_times && (wrapped_.empty() || holds_angles_);
    if (is_usual) return go_on(l);
    if (program_.numbers > 0) interpreted_.give(seat.given);
    read_motion(l, m);
    if (!is_quiet && !threads::find_events(interpreted_, program_.task, m, seat.track))
      return redo(l, chunk, stop);
    switch (threads::look(interpreted_, program_.task, m, seat.track)) {
      case threads::Ended::redo:
        return redo(l, chunk, stop);
      case threads::Ended::done:
        chunk.take(seat.number, seat.track.result, static_cast<std::uint64_t>(seat.track.steps));
        return leave(l);
      default:
        return;
    }
  }
  // A step with nothing to see but its end, as threads::look does it.
  void go_on(int l) {
    Seat& seat = *seats_[l];
    threads::Moment<InterpretedProgram>&start = seat.track.start, &end = seat.end;
    seat.track.steps += 1.0;
    start.in[0] = seat.motion.t_end;
    for (std::size_t i = 0; i < program_.states; ++i) start.in[1 + i] = lanes_->end(i).lane(l);
    const std::size_t angles = program_.angles.size();
    for (std::size_t a = 0; a < angles; ++a) end.wrapped[a] = wrapped_[a].lane(l);
    threads::count_turns(interpreted_, start, end);
    std::copy_n(end.wrapped, angles, start.wrapped);
    std::copy_n(end.turns, angles, start.turns);
    std::copy_n(end.in + 1 + program_.states, angles, start.in + 1 + program_.states);
  }
  void read_motion(int l, threads::Motion<InterpretedProgram>& m) {
    const std::size_t n = program_.states;
    lanes_->read_start(l, from_);
    lanes_->read_end(l, to_);
    lanes_->read_polynomial(l, polynomial_);
    std::copy_n(from_.hi.data(), n, m.hi);
    std::copy_n(from_.lo.data(), n, m.lo);
    std::copy_n(to_.hi.data(), n, m.hi_end);
    std::copy_n(to_.lo.data(), n, m.lo_end);
    std::copy_n(polynomial_.coefficients.data(), n * (static_cast<std::size_t>(program_.rule.order) + 1),
                m.c);
  }
  static double shortest(double t) {
    return 4.0 * threads::kRoundoff * std::max(std::fabs(t), threads::kRoundoff);
  }

  const ThreadProgram& program_;
  InterpretedProgram interpreted_;
  InterpreterOf<S> near_, angles_;
  RecordedInterpreter given_of_;
  std::unique_ptr<ChunkRunner> labs_;
  std::atomic<std::uint64_t>& redone_;
  std::size_t measures_;
  CaseStarts starts_;
  Lab lab_;
  std::size_t tape_size_;
  NumberTape tapes_[kWidth];
  std::unique_ptr<LaneTaylor<kWidth>> lanes_;
  bool have_other_numbers_ = false;
  std::vector<double> start_;
  StepPolynomial polynomial_;
  State from_, to_;
  std::unique_ptr<Seat> seats_[kWidth];
  AlignedVector<S> near_in_, margins_, end_in_, wrapped_;
  bool holds_near_ = false, holds_angles_ = false;
};

// What a plan varies that threads take from one scene for all cases; "": nothing.
std::string same_for_all(const SweepPlan& plan) {
  const auto is_number_of_world = [](const std::string& key) {
    const std::string kinds[] = {"chain.",      "chains.",     "forces.",           "equations.",
                                 "lagrangian.", "parameters.", "simulation.gravity"};
    return std::any_of(std::begin(kinds), std::end(kinds),
                       [&](const std::string& kind) { return key.starts_with(kind); });
  };
  for (const SweepAxis& axis : plan.axes) {
    for (const std::string& key : axis.keys) {
      if (!is_number_of_world(key)) return key;
    }
  }
  return "";
}

// The scene of the first case that has a start; whether others differ from it in theirs alone.
std::optional<Scene> first_scene(const Sweep& sweep, bool& in_starts_alone) {
  SweepCases cases(sweep.plan());
  const std::unique_ptr<CaseScenes> scenes = sweep.scenes()();
  std::vector<double> values(cases.width() + 1, 0.0);
  constexpr std::uint64_t kTries = 64;
  const std::uint64_t apart = std::max<std::uint64_t>(1, cases.count() / kTries);
  for (std::uint64_t index = apart / 2; index < cases.count(); index += apart) {
    cases.values(index, values.data());
    if (cases.is_skipped(values.data())) continue;
    values.back() = scenes->unsolved();
    try {
      const Scene& scene = scenes->with(values.data());
      Lab lab(scene);
      in_starts_alone = scenes->starts_only() && lab.restart(scene);
      return scene;
    } catch (const InputError&) {
    }
  }
  return std::nullopt;
}

}  // namespace

// ---- on the GPU -------------------------------------------------------------------------------------------

struct SweepThreads::Gpu {
  enum class State { compiling, ready, failed };
  Device::Program program;
  double compiling = 0.0, loading = 0.0;  // seconds
  std::string log, trouble;
  bool or_lanes = false, is_kept = false;
  std::atomic<State> state = State::compiling;
  std::thread beside;

  ~Gpu() {
    if (beside.joinable()) beside.join();  // what it compiles is kept for the next time
    if (state != State::ready) return;
    try {
      Device::the().use();  // to give back what it holds
    } catch (const DeviceError&) {
    }
  }
  void make(const std::string& source) try {
    const auto start = std::chrono::steady_clock::now();
    Device& device = Device::the();
    device.use();
    const Kernel kernel = compiled(source, device.architecture());
    compiling = kernel.seconds;
    log = kernel.log;
    program.load(kernel.cubin, "catena_sweep");
    loading = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    state = State::ready;
  } catch (const std::exception& error) {
    trouble = error.what();
    state = State::failed;
  }
};

// In lanes until the kernel is ready.
class SweepThreads::Meanwhile final : public ChunkRunner {
 public:
  Meanwhile(SweepThreads& threads, std::unique_ptr<LaneRunner> lanes)
      : threads_(threads), lanes_(std::move(lanes)) {}

  SweepChunk run(std::uint64_t first, std::uint64_t count, const std::atomic<bool>* stop) override {
    constexpr std::uint64_t kFew = 64;
    SweepChunk out;
    out.first = first;
    while (out.count < count && !is_stopped(stop)) {
      ChunkRunner& by = next();
      const std::uint64_t rest = count - out.count, wanted = gpu_ ? rest : std::min(kFew, rest);
      const SweepChunk part = by.run(first + out.count, wanted, stop);
      out.measures.insert(out.measures.end(), part.measures.begin(), part.measures.end());
      out.status.insert(out.status.end(), part.status.begin(), part.status.end());
      out.reasons.insert(out.reasons.end(), part.reasons.begin(), part.reasons.end());
      out.steps += part.steps;
      out.count += part.count;
      if (part.count < wanted) break;
    }
    return out;
  }

 private:
  ChunkRunner& next() {
    if (gpu_) return *gpu_;
    const Gpu& gpu = *threads_.gpu_;
    if (gpu.state == Gpu::State::failed && !gpu.or_lanes) throw InputError({"--device gpu"}, gpu.trouble);
    if (gpu.state != Gpu::State::ready) return *lanes_;
    gpu_ =
        gpu_runner(threads_.sweep_, *threads_.program_, gpu.program, lanes_->take_labs(), threads_.redone_);
    return *gpu_;
  }

  SweepThreads& threads_;
  std::unique_ptr<LaneRunner> lanes_;
  std::unique_ptr<ChunkRunner> gpu_;
};

SweepThreads::SweepThreads(const Sweep& sweep) : sweep_(sweep) {
  if (!kFuses) {
    refusal_ = "this processor has no fused operations";
    return;
  }
  bool in_starts_alone = true;
  const std::optional<Scene> scene = first_scene(sweep, in_starts_alone);
  if (!scene) {
    refusal_ = "none of the first cases that were tried has a start";
    return;
  }
  if (const std::string key = same_for_all(sweep.plan()); !in_starts_alone && !key.empty()) {
    refusal_ = fmt::format("its cases differ in {}, which is one for all there", key);
    return;
  }
  if (std::optional<ThreadProgram> program = thread_program(*scene, sweep.plan(), refusal_, in_starts_alone))
    program_ = std::make_unique<ThreadProgram>(std::move(*program));
}

SweepThreads::~SweepThreads() = default;

void SweepThreads::use_gpu(bool or_lanes, bool waits) {
  const auto refuse = [](const std::string& why) { throw InputError({"--device gpu"}, why); };
  if (!refusal_.empty()) refuse("this sweep is not computed on a GPU: " + refusal_);
  if (const std::string why = device_refusal(); !why.empty()) refuse(why);
  try {
    const Device& device = Device::the();
    const std::string source = program_->source();
    const bool is_kept = has_kernel(source, device.architecture());
    if (!is_kept && !compiler_refusal().empty()) refuse(compiler_refusal());
    auto gpu = std::make_unique<Gpu>();
    gpu->or_lanes = or_lanes;
    gpu->is_kept = is_kept;
    if (waits) {
      gpu->make(source);
      if (gpu->state == Gpu::State::failed) refuse(gpu->trouble);
    } else {
      gpu->beside = std::thread([of = gpu.get(), source] { of->make(source); });
    }
    gpu_ = std::move(gpu);
  } catch (const DeviceError& error) {
    refuse(error.what());
  }
}

std::string SweepThreads::device() const {
  if (gpu_ && gpu_->is_kept && gpu_->beside.joinable()) gpu_->beside.join();  // a moment
  if (!gpu_ || gpu_->state == Gpu::State::failed) return "cpu";
  Device& device = Device::the();
  if (gpu_->state == Gpu::State::compiling)
    return fmt::format("cpu: the kernel for {} was not ready; the next sweep has it", device.name());
  device.use();
  return fmt::format("{}, driver {}.{}, kernel {}, {} registers, {} bytes of local memory", device.name(),
                     device.driver() / 1000, device.driver() % 1000 / 10,
                     gpu_->compiling > 0.0
                         ? fmt::format("compiled in {:.2f} s by {}", gpu_->compiling, compiler_name())
                         : fmt::format("from the cache in {:.3f} s", gpu_->loading),
                     gpu_->program.registers(), gpu_->program.local_bytes());
}

std::unique_ptr<ChunkRunner> SweepThreads::runner(std::unique_ptr<ChunkRunner> labs) {
  if (!refusal_.empty()) return labs;
  const auto lanes = [&] {
    return std::make_unique<LaneRunner>(sweep_, *program_, std::move(labs), redone_);
  };
  if (!gpu_) return lanes();
  if (gpu_->state != Gpu::State::ready) return std::make_unique<Meanwhile>(*this, lanes());
  return gpu_runner(sweep_, *program_, gpu_->program, std::move(labs), redone_);
}

}  // namespace catena
