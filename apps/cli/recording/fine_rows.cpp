#include "recording/fine_rows.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "catena/base/mistake.h"
#include "catena/draw/plot/run_columns.h"
#include "catena/lab/run.h"
#include "recording/resume.h"

namespace catena::cli {
namespace {

constexpr double kTimes = 1.2e4;  // in all: as many as a figure draws as strokes, and more than it has dots
constexpr double kMostBytes = 6.4e7;   // of rows in memory
constexpr double kMostSeconds = 20.0;  // that computing again may take

using Rows = std::shared_ptr<std::vector<double>>;

class Keeper : public RowSink {
 public:
  Keeper(std::size_t width, Rows into) : width_(width), into_(std::move(into)) {}
  void row(const double* values) override { into_->insert(into_->end(), values, values + width_); }
  bool checkpoint_due() override { return false; }
  void checkpoint(const std::string&) override {}

 private:
  std::size_t width_;
  Rows into_;
};

std::vector<double> recorded_times(RunReader& reader, std::size_t width) {
  constexpr std::size_t kBlock = 1024;
  std::vector<double> times, block(kBlock * width);
  for (std::size_t first = 0; first < reader.rows(); first += kBlock) {
    const std::size_t count = std::min(kBlock, reader.rows() - first);
    reader.read(first, count, block.data());
    for (std::size_t row = 0; row < count; ++row) times.push_back(block[row * width]);
  }
  return times;
}

// The recorded times and, between them, so many that none are further apart than `gap`.
std::vector<double> finer(const std::vector<double>& times, double gap) {
  std::vector<double> out;
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (i > 0) {
      const double span = times[i] - times[i - 1];
      const int parts = std::max(1, static_cast<int>(std::ceil(span / gap - 1e-9)));
      for (int k = 1; k < parts; ++k) out.push_back(times[i - 1] + span * k / parts);
    }
    out.push_back(times[i]);
  }
  return out;
}

// Whether the last row is where the recording has it. Columns that may jump (angles) or say how it was
// computed do not count.
bool leads_there(const draw::RunColumns& columns, const double* recorded, const double* computed) {
  double away = 0.0, size = 1e-9;
  for (const draw::RunColumn& column : columns) {
    const bool is_place = column.quantity == "x" || column.quantity == "y" || column.quantity == "z" ||
                          column.name.figure == "coordinates";
    if (!is_place) continue;
    away = std::max(away, std::fabs(recorded[column.index] - computed[column.index]));
    size = std::max(size, std::fabs(recorded[column.index]));
  }
  constexpr double kSame = 1e-3;  // of the size: less than a pixel
  return away <= kSame * size;
}

double wall_seconds(const Recording& recording) {
  const auto summary = nlohmann::json::parse(recording.reader->state().summary_json, nullptr, false);
  const bool known =
      summary.is_object() && summary.contains("wall_seconds") && summary["wall_seconds"].is_number();
  return known ? summary["wall_seconds"].get<double>() : 0.0;
}

}  // namespace

FineRows fine_rows(Recording& recording) {
  FineRows out;
  out.note = why_not_again(recording);
  if (!out.note.empty()) return out;
  RunReader& reader = *recording.reader;
  const draw::RunColumns columns(reader.info().stems);
  const std::size_t width = columns.size();
  const double most = std::min(kTimes, kMostBytes / (8.0 * static_cast<double>(width)));
  if (reader.rows() < 2 || static_cast<double>(reader.rows()) > 0.5 * most) return out;
  if (wall_seconds(recording) > kMostSeconds) {
    out.note = "computing the motion again would take long";
    return out;
  }
  const std::vector<double> coarse = recorded_times(reader, width);
  const std::vector<double> times = finer(coarse, (coarse.back() - coarse.front()) / most);
  const auto values = std::make_shared<std::vector<double>>();
  try {
    Lab lab(*recording.scene);
    const Columns own = lab.columns(recorded_quantities(reader.info().stems, lab));
    Keeper keeper(width, values);
    if (own.stems() == reader.info().stems) run(lab, Schedule::list(times), own, 0, keeper, {});
  } catch (const InputError&) {
    values->clear();  // another version refuses what this file was made with
  }
  std::vector<double> last(width);
  reader.read(reader.rows() - 1, 1, last.data());
  const bool whole = values->size() == times.size() * width;
  if (!whole || !leads_there(columns, last.data(), values->data() + values->size() - width)) {
    out.note = "computed again it goes elsewhere, as chaotic motion does on another machine or version";
    return out;
  }
  out.rows = {reader.info().stems, times.size(),
              [values, width](std::size_t first, std::size_t count, double* to) {
                std::copy_n(values->data() + first * width, count * width, to);
              }};
  return out;
}

}  // namespace catena::cli
