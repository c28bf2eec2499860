// Whole runs, recorded in memory.
#include <algorithm>
#include <atomic>

#include "catena/base/version.h"
#include "catena/base/words.h"
#include "inside.h"

namespace catena {

struct v0::Run::Inside final : RowSink, RunReader {
  std::vector<std::string> names;
  std::vector<std::vector<double>> columns;  // [column][row]
  std::vector<v0::EventTable> events;
  RunSummary summary;
  RunInfo about;
  RunState closing;

  void row(const double* values) override {
    for (std::size_t i = 0; i < columns.size(); ++i) columns[i].push_back(values[i]);
  }
  bool checkpoint_due() override { return false; }
  void checkpoint(const std::string& bytes) override { closing.checkpoint = bytes; }

  const RunInfo& info() const override { return about; }
  const RunState& state() const override { return closing; }
  std::size_t rows() const override { return columns.front().size(); }
  void read(std::size_t first, std::size_t count, double* out) override {
    for (std::size_t r = first; r < first + count; ++r) {
      for (const std::vector<double>& column : columns) *out++ = column[r];
    }
  }
};

inline namespace v0 {

Run::Run(std::unique_ptr<Inside> inside) : inside_(std::move(inside)) {}
Run::~Run() = default;
Run::Run(Run&&) noexcept = default;
Run& Run::operator=(Run&&) noexcept = default;

const std::vector<std::string>& Run::names() const { return inside_->names; }
std::size_t Run::rows() const { return inside_->rows(); }
const std::vector<v0::EventTable>& Run::events() const { return inside_->events; }
const std::string& Run::message() const { return inside_->summary.message; }
const std::vector<std::string>& Run::warnings() const { return inside_->summary.warnings; }
double Run::energy_error() const { return inside_->summary.energy_error_relative; }
std::string Run::summary_json() const { return inside_->closing.summary_json; }

v0::Outcome Run::outcome() const {
  switch (inside_->summary.outcome) {
    case engine::Outcome::done:
      return v0::Outcome::done;
    case engine::Outcome::stopped_by_event:
      return v0::Outcome::stopped_by_event;
    case engine::Outcome::failed:
      return v0::Outcome::failed;
    case engine::Outcome::interrupted:
      return v0::Outcome::interrupted;
  }
  return v0::Outcome::failed;
}

const std::vector<double>& Run::column(const std::string& name) const {
  const auto found = std::find(inside_->names.begin(), inside_->names.end(), name);
  if (found == inside_->names.end())
    throw as_error(InputError({inside_->summary.scene},
                              "there is no column '" + name + "'" + did_you_mean(name, inside_->names)));
  return inside_->columns[static_cast<std::size_t>(found - inside_->names.begin())];
}

void Run::save(const std::string& path) const {
  with_errors([&] {
    if (!is_run_format(path)) throw InputError({path}, "runs are written as " + alternatives(run_endings()));
    write_run(*inside_, path);
    return 0;
  });
}

Run run(const Scene& scene, const RunOptions& options) {
  return with_errors([&] {
    const engine::Scene given = scene.inside().read();
    Lab lab(given);
    const Schedule schedule = options.times.empty() ? schedule_of(given) : Schedule::list(options.times);
    const Columns columns = lab.columns(options.quantities);
    auto inside = std::make_unique<Run::Inside>();
    inside->names = column_names(columns.stems());
    inside->columns.resize(inside->names.size());
    inside->about = {std::string(this_version()), given.json, columns.stems(), given.name, {}};
    std::atomic<bool> stop = false;
    RunControl control;
    control.stop = &stop;
    control.progress = [&](double time, double end) {
      if (options.progress) options.progress(time, end);
      if (options.stop && options.stop()) stop = true;
    };
    inside->summary = catena::run(lab, schedule, columns, 0, *inside, control);
    inside->summary.peak_memory_bytes = peak_memory_bytes();
    inside->closing.summary_json = ::catena::summary_json(inside->summary);
    for (const engine::EventTable& table : inside->summary.events)
      inside->events.push_back({table.name, table.columns, table.rows});
    return Run(std::move(inside));
  });
}

}  // namespace v0
}  // namespace catena
