#include "catena/threads/gpu_runner.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "catena/threads/case_starts.h"
#include "catena/threads/program.h"
#include "catena/threads/taken_cases.h"

namespace catena {
namespace {

// Work for all cores of the host: f(which, i) for i below count.
template <class F>
void over_cores(std::size_t cores, std::uint64_t count, const F& f) {
  std::atomic<std::uint64_t> next = 0;
  const auto work = [&](std::size_t core) {
    constexpr std::uint64_t kPart = 1024;
    for (;;) {
      const std::uint64_t first = next.fetch_add(kPart);
      if (first >= count) return;
      for (std::uint64_t i = first; i < std::min(count, first + kPart); ++i) f(core, i);
    }
  };
  std::vector<std::thread> others;
  for (std::size_t core = 1; core < cores && count > core * 1024; ++core) others.emplace_back(work, core);
  work(0);
  for (std::thread& thread : others) thread.join();
}

// Starts of all cases of a grid, by what each number of a start depends on: one extent of the grid.
struct StartTables {
  std::vector<threads::StartEntry> entries;
  std::vector<double> data;
};

std::optional<StartTables> start_tables(const SweepCases& cases, const ThreadProgram& program,
                                        std::vector<std::unique_ptr<CaseStarts>>& starts) {
  const std::vector<SweepExtent>& extents = cases.extents();
  if (extents.size() < 2) return std::nullopt;
  const std::size_t width = program.start_numbers();
  std::vector<std::uint64_t> divisor(extents.size(), 1);
  for (std::size_t e = extents.size() - 1; e-- > 0;) divisor[e] = divisor[e + 1] * extents[e + 1].count;
  std::uint64_t places = 0;
  for (const SweepExtent& extent : extents) places += extent.count;
  if (places * 4 > cases.count()) return std::nullopt;
  // From the middle of the others, where nothing is special.
  std::uint64_t middle = 0;
  for (std::size_t e = 0; e < extents.size(); ++e) middle += extents[e].count / 2 * divisor[e];
  std::vector<double> usual(width);
  if (!starts[0]->write(middle, usual.data())) return std::nullopt;
  StartTables out;
  out.entries.assign(width, {0, 1, 1});
  out.data = usual;
  for (std::size_t i = 0; i < width; ++i) out.entries[i].offset = i;
  std::atomic<bool> works = true;
  for (std::size_t e = 0; e < extents.size(); ++e) {
    const std::uint64_t count = extents[e].count, own = middle / divisor[e] % count;
    std::vector<double> along(count * width);
    over_cores(starts.size(), count, [&](std::size_t core, std::uint64_t q) {
      if (!starts[core]->write(middle + q * divisor[e] - own * divisor[e], along.data() + q * width))
        works = false;
    });
    if (!works) return std::nullopt;
    for (std::size_t i = 0; i < width; ++i) {
      bool changes = false;
      for (std::uint64_t q = 0; q < count; ++q)  // zeros have signs
        changes = changes || std::memcmp(&along[q * width + i], &usual[i], sizeof(double)) != 0;
      if (!changes) continue;
      if (out.entries[i].modulus != 1) return std::nullopt;  // of two extents
      out.entries[i] = {out.data.size(), divisor[e], count};
      for (std::uint64_t q = 0; q < count; ++q) out.data.push_back(along[q * width + i]);
    }
  }
  // What was concluded from some cases holds for others.
  std::mt19937_64 random(1);
  std::vector<double> one(width);
  for (int i = 0; i < 256; ++i) {
    const std::uint64_t index = random() % cases.count();
    if (!starts[0]->write(index, one.data())) return std::nullopt;
    for (std::size_t k = 0; k < width; ++k) {
      const threads::StartEntry& entry = out.entries[k];
      const double table = out.data[entry.offset + index / entry.divisor % entry.modulus];
      if (std::memcmp(&table, &one[k], sizeof table) != 0) return std::nullopt;
    }
  }
  return out;
}

class GpuRunner final : public ChunkRunner {
 public:
  GpuRunner(const Sweep& sweep, const ThreadProgram& program, const Device::Program& kernel,
            std::unique_ptr<ChunkRunner> labs, std::atomic<std::uint64_t>& redone)
      : program_(program),
        kernel_(kernel),
        labs_(std::move(labs)),
        redone_(redone),
        plan_(sweep.plan()),
        cases_(sweep.plan()) {
    for (unsigned i = 0; i < std::max(1u, std::thread::hardware_concurrency()); ++i)
      starts_.push_back(std::make_unique<CaseStarts>(sweep, program));
    tables_ = start_tables(cases_, program, starts_);
    if (!tables_) return;
    Device::the().use();
    entries_.reserve(tables_->entries.size() * sizeof(threads::StartEntry));
    entries_.write(tables_->entries.data(), tables_->entries.size() * sizeof(threads::StartEntry));
    data_.reserve(tables_->data.size() * sizeof(double));
    data_.write(tables_->data.data(), tables_->data.size() * sizeof(double));
  }

  SweepChunk run(std::uint64_t first, std::uint64_t count, const std::atomic<bool>* stop) override {
    Device::the().use();
    const std::size_t measures = plan_.measures.size();
    TakenCases chunk(first, count, measures);
    std::vector<std::uint32_t> which;
    std::vector<double> starts;
    std::vector<std::uint32_t> without;  // a start
    gather(first, count, chunk, which, starts, without);
    results_.resize(which.size() * measures);
    steps_.resize(which.size());
    compute(first, which, starts, 0, which.size());
    for (const std::uint32_t i : without) redo(i, chunk, stop);
    for (std::size_t i = 0; i < which.size() && !is_stopped(stop); ++i) {
      if (steps_[i] == 0) {
        redo(which[i], chunk, stop);
      } else {
        chunk.take(which[i], results_.data() + i * measures, steps_[i]);
      }
    }
    return chunk.taken();
  }

 private:
  void redo(std::uint64_t i, TakenCases& chunk, const std::atomic<bool>* stop) {
    if (is_stopped(stop)) return;
    ++redone_;
    chunk.redo(i, *labs_, stop);
  }

  // Which cases are computed, and where each starts if tables do not say so.
  void gather(std::uint64_t first, std::uint64_t count, TakenCases& chunk, std::vector<std::uint32_t>& which,
              std::vector<double>& starts, std::vector<std::uint32_t>& without) {
    const std::size_t width = program_.start_numbers();
    std::vector<char> state(count, 1);  // 0: skipped, 2: without a start
    if (!tables_) starts.resize(count * width);
    if (!plan_.skip.empty() || !tables_) {
      over_cores(starts_.size(), count, [&](std::size_t core, std::uint64_t i) {
        if (!plan_.skip.empty() && starts_[core]->is_skipped(first + i)) {
          state[i] = 0;
        } else if (!tables_ && !starts_[core]->write(first + i, starts.data() + i * width)) {
          state[i] = 2;
        }
      });
    }
    which.reserve(count);
    std::size_t kept = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
      if (state[i] == 0) chunk.skip(i);
      if (state[i] == 2) without.push_back(static_cast<std::uint32_t>(i));
      if (state[i] != 1) continue;
      which.push_back(static_cast<std::uint32_t>(i));
      if (!tables_) std::copy_n(starts.data() + i * width, width, starts.data() + kept++ * width);
    }
  }

  // Where the device's memory is too small for all at once, in halves.
  void compute(std::uint64_t first, const std::vector<std::uint32_t>& which,
               const std::vector<double>& starts, std::size_t from, std::size_t count) {
    if (count == 0) return;
    try {
      compute_at_once(first, which, starts, from, count);
    } catch (const OutOfDeviceMemory&) {
      if (count < 1024) throw;
      for (Device::Memory* one : {&out_, &counts_, &which_}) one->give_back();
      if (!tables_) data_.give_back();
      compute(first, which, starts, from, count / 2);
      compute(first, which, starts, from + count / 2, count - count / 2);
    }
  }
  void compute_at_once(std::uint64_t first, const std::vector<std::uint32_t>& which,
                       const std::vector<double>& starts, std::size_t from, std::size_t count) {
    const std::size_t measures = plan_.measures.size(), width = program_.start_numbers();
    threads::Cases cases{};
    cases.count = count;
    const bool is_all = which[from] + count - 1 == which[from + count - 1];
    if (tables_) {
      cases.first = first + (is_all ? which[from] : 0);
      if (!is_all) {
        which_.reserve(count * sizeof(std::uint32_t));
        which_.write(which.data() + from, count * sizeof(std::uint32_t));
        cases.which = reinterpret_cast<const std::uint32_t*>(which_.address());
      }
    } else {  // [case][number]
      std::vector<threads::StartEntry> entries(width);
      data_.reserve(count * width * sizeof(double));
      std::vector<double> turned(count * width);
      for (std::size_t k = 0; k < width; ++k) {
        entries[k] = {k * count, 1, count};
        for (std::size_t i = 0; i < count; ++i) turned[k * count + i] = starts[(from + i) * width + k];
      }
      entries_.reserve(width * sizeof(threads::StartEntry));
      entries_.write(entries.data(), width * sizeof(threads::StartEntry));
      data_.write(turned.data(), turned.size() * sizeof(double));
    }
    out_.reserve(count * measures * sizeof(double));
    counts_.reserve(count * sizeof(std::uint32_t));
    next_.reserve(sizeof(std::uint64_t));
    const std::uint64_t zero = 0;
    next_.write(&zero, sizeof zero);
    cases.entries = reinterpret_cast<const threads::StartEntry*>(entries_.address());
    cases.data = reinterpret_cast<const double*>(data_.address());
    cases.results = reinterpret_cast<double*>(out_.address());
    cases.steps = reinterpret_cast<std::uint32_t*>(counts_.address());
    cases.next = reinterpret_cast<std::uint64_t*>(next_.address());
    threads::Task task = program_.task;
    void* parameters[] = {&task, &cases};
    kernel_.run(count, parameters);
    out_.read(results_.data() + from * measures, count * measures * sizeof(double));
    counts_.read(steps_.data() + from, count * sizeof(std::uint32_t));
  }

  const ThreadProgram& program_;
  const Device::Program& kernel_;
  std::unique_ptr<ChunkRunner> labs_;
  std::atomic<std::uint64_t>& redone_;
  const SweepPlan& plan_;
  SweepCases cases_;
  std::vector<std::unique_ptr<CaseStarts>> starts_;
  std::optional<StartTables> tables_;
  Device::Memory entries_, data_, which_, out_, counts_, next_;
  std::vector<double> results_;
  std::vector<std::uint32_t> steps_;
};

}  // namespace

std::unique_ptr<ChunkRunner> gpu_runner(const Sweep& sweep, const ThreadProgram& program,
                                        const Device::Program& kernel, std::unique_ptr<ChunkRunner> labs,
                                        std::atomic<std::uint64_t>& redone) {
  return std::make_unique<GpuRunner>(sweep, program, kernel, std::move(labs), redone);
}

}  // namespace catena
