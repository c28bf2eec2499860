#include "video/motion.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "catena/base/mistake.h"
#include "catena/base/words.h"
#include "catena/draw/plot/run_columns.h"
#include "catena/lab/run.h"
#include "terminal/interrupt.h"

namespace catena::cli {
namespace {

using draw::RunColumns;
using draw::Sample;

// Where in a row the parts of a sample stand.
class SampleReader {
 public:
  SampleReader(const std::vector<Stem>& stems, const draw::Skeleton& skeleton) : columns_(stems) {
    for (const draw::Skeleton::Link& link : skeleton.links) {
      places_.push_back(vector_of("", link.label));
      velocities_.push_back(vector_of("v", link.label));
      strain_.push_back(index_of("strain", link.label));
      theta_.push_back(index_of("theta", link.label));
      rate_.push_back(index_of("theta_dot", link.label));
      directions_.push_back(vector_of("u", link.label));
      orientations_.push_back({index_of("qw", link.label), index_of("qx", link.label),
                               index_of("qy", link.label), index_of("qz", link.label)});
      turns_ = turns_ || orientations_.back()[0] > 0;
      lengths_.push_back(link.length);
      hooks_move_ = hooks_move_ || (link.parent < 0 && link.pivot_moves && has(directions_.back()));
    }
    for (const char* total : {"kinetic", "potential", "elastic", "energy", "energy_error"}) {
      totals_.push_back(index_of(total, ""));
    }
  }

  std::size_t width() const { return columns_.size(); }
  bool has_places() const {
    return std::all_of(places_.begin(), places_.end(), [](const Triple& place) { return has(place); });
  }
  bool has_velocities() const {
    return std::all_of(velocities_.begin(), velocities_.end(),
                       [](const Triple& place) { return has(place); });
  }
  Vec3 place(const double* row, std::size_t link) const { return value(row, places_[link]); }
  Vec3 velocity(const double* row, std::size_t link) const { return value(row, velocities_[link]); }

  Sample sample(const double* row) const {
    Sample out;
    out.t = row[0];
    for (std::size_t k = 0; k < places_.size(); ++k) out.ends.push_back(place(row, k));
    add(row, strain_, out.strain, true);
    add(row, theta_, out.theta, false);
    for (std::size_t k = 0; turns_ && k < places_.size(); ++k) {
      Quaternion q = {1, 0, 0, 0};
      for (std::size_t i = 0; i < 4 && orientations_[k][0] > 0; ++i) q[i] = row[orientations_[k][i]];
      out.orientations.push_back(q);
    }
    // A hook that moves is not recorded itself: it lies a link's length up its link.
    for (std::size_t k = 0; hooks_move_ && k < places_.size(); ++k) {
      const Vec3 u = value(row, directions_[k]);
      const double length = lengths_[k] * (1 + (out.strain.empty() ? 0.0 : out.strain[k]));
      const Vec3& end = out.ends[k];
      out.uppers.push_back({end[0] - length * u[0], end[1] - length * u[1], end[2] - length * u[2]});
    }
    add(row, rate_, out.theta_dot, false);
    if (out.theta.size() != out.theta_dot.size()) out.theta.clear(), out.theta_dot.clear();
    const auto total = [&](std::size_t i) { return totals_[i] > 0 ? row[totals_[i]] : 0.0; };
    out.kinetic = total(0);
    out.potential = total(1);
    out.elastic = total(2);
    out.energy = total(3);
    out.energy_error = total(4);
    out.has_energy = totals_[0] > 0 && totals_[1] > 0 && totals_[3] > 0;
    return out;
  }

 private:
  using Triple = std::array<std::size_t, 3>;

  static bool has(const Triple& place) { return place[0] > 0 && place[1] > 0 && place[2] > 0; }
  static Vec3 value(const double* row, const Triple& place) {
    return {row[place[0]], row[place[1]], row[place[2]]};
  }
  // 0 is the time: none.
  std::size_t index_of(const std::string& quantity, const std::string& item) const {
    const draw::RunColumn* column = columns_.find(quantity, item);
    return column == nullptr ? 0 : column->index;
  }
  Triple vector_of(const std::string& prefix, const std::string& item) const {
    return {index_of(prefix + "x", item), index_of(prefix + "y", item), index_of(prefix + "z", item)};
  }
  static void add(const double* row, const std::vector<std::size_t>& from, std::vector<double>& to,
                  bool zero_if_none) {
    const bool any = std::any_of(from.begin(), from.end(), [](std::size_t c) { return c > 0; });
    const bool all = std::all_of(from.begin(), from.end(), [](std::size_t c) { return c > 0; });
    if (!any || (!all && !zero_if_none)) return;
    for (const std::size_t column : from) to.push_back(column > 0 ? row[column] : 0.0);
  }

  RunColumns columns_;
  std::vector<Triple> places_, velocities_, directions_;
  std::vector<std::array<std::size_t, 4>> orientations_;
  bool turns_ = false;
  std::vector<double> lengths_;
  bool hooks_move_ = false;
  std::vector<std::size_t> strain_, theta_, rate_, totals_;
};

draw::Skeleton skeleton_of(const Recording& recording) {
  if (recording.scene) return draw::skeleton_of(*recording.scene);
  return draw::skeleton_of(RunColumns(recording.reader->info().stems).items_with("x"));
}

// Rows as they come, as samples.
class SampleSink : public RowSink {
 public:
  SampleSink(const SampleReader& reader, std::vector<Sample>& into) : reader_(reader), into_(into) {}
  void row(const double* values) override { into_.push_back(reader_.sample(values)); }
  bool checkpoint_due() override { return false; }
  void checkpoint(const std::string&) override {}

 private:
  const SampleReader& reader_;
  std::vector<Sample>& into_;
};

double time_of_row(Recording& recording, std::size_t row, std::vector<double>& buffer) {
  recording.reader->read(row, 1, buffer.data());
  return buffer[0];
}

// The last row at or before t.
std::size_t row_before(Recording& recording, double t, std::vector<double>& buffer) {
  std::size_t low = 0, high = recording.reader->rows();
  while (high - low > 1) {
    const std::size_t middle = low + (high - low) / 2;
    (time_of_row(recording, middle, buffer) <= t ? low : high) = middle;
  }
  return low;
}

// The run once more, sampled at the times. Empty when it does not lead where the recording went.
std::vector<Sample> computed_again(Recording& recording, const MotionTimes& times,
                                   const draw::Skeleton& skeleton,
                                   const std::function<void(double)>& progress) {
  Lab lab(*recording.scene);
  const Columns columns = lab.columns(film_words(*recording.scene));
  const SampleReader reader(columns.stems(), skeleton);

  // One recorded row more, to see that it is the same motion.
  const SampleReader recorded(recording.reader->info().stems, skeleton);
  std::vector<double> row(recorded.width());
  const std::size_t check_row = row_before(recording, times.time(times.count - 1), row);
  const double check_time = time_of_row(recording, check_row, row);
  std::vector<double> list;
  for (std::size_t k = 0; k < times.count; ++k) list.push_back(times.time(k));
  list.push_back(check_time);
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());

  std::vector<Sample> samples;
  SampleSink sink(reader, samples);
  RunControl control;
  control.stop = &interrupted();
  control.progress = [&](double time, double) { progress(time); };
  const RunSummary summary = run(lab, Schedule::list(list), columns, 0, sink, control);
  if (summary.outcome != Outcome::done) return {};
  double away = 0.0, size = 1e-9;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (samples[i].t != check_time) continue;
    for (std::size_t k = 0; recorded.has_places() && k < skeleton.links.size(); ++k) {
      const Vec3 there = recorded.place(row.data(), k);
      for (std::size_t axis = 0; axis < 3; ++axis) {
        away = std::max(away, std::fabs(there[axis] - samples[i].ends[k][axis]));
        size = std::max(size, std::fabs(there[axis]));
      }
    }
    bool asked = false;
    for (std::size_t k = 0; k < times.count && !asked; ++k) asked = times.time(k) == check_time;
    if (!asked) samples.erase(samples.begin() + static_cast<std::ptrdiff_t>(i));
    break;
  }
  constexpr double kSame = 1e-3;  // of the size: less than a pixel
  if (away > kSame * size) samples.clear();
  return samples;
}

double mixed(double a, double b, double share) { return a + (b - a) * share; }

// Between two rows: cubic where velocities are recorded, straight otherwise.
Sample between(const SampleReader& reader, const double* before, const double* after, double t) {
  Sample a = reader.sample(before);
  const Sample b = reader.sample(after);
  const double h = b.t - a.t, s = h > 0.0 ? std::clamp((t - a.t) / h, 0.0, 1.0) : 0.0;
  const bool cubic = reader.has_velocities();
  for (std::size_t k = 0; k < a.ends.size(); ++k) {
    const Vec3 va = cubic ? reader.velocity(before, k) : Vec3{},
               vb = cubic ? reader.velocity(after, k) : Vec3{};
    for (std::size_t i = 0; i < 3; ++i) {
      const double p = a.ends[k][i], q = b.ends[k][i];
      const double h00 = (1 + 2 * s) * (1 - s) * (1 - s), h10 = s * (1 - s) * (1 - s);
      const double h01 = s * s * (3 - 2 * s), h11 = s * s * (s - 1);
      a.ends[k][i] = cubic ? h00 * p + h10 * h * va[i] + h01 * q + h11 * h * vb[i] : mixed(p, q, s);
    }
  }
  for (std::size_t k = 0; k < a.uppers.size(); ++k) {
    for (std::size_t i = 0; i < 3; ++i) a.uppers[k][i] = mixed(a.uppers[k][i], b.uppers[k][i], s);
  }
  for (std::size_t k = 0; k < a.orientations.size(); ++k) {
    // The shorter way between the two, which q and -q both stand for; near enough to a unit one for a
    // picture.
    double along = 0.0, square = 0.0;
    for (std::size_t i = 0; i < 4; ++i) along += a.orientations[k][i] * b.orientations[k][i];
    for (std::size_t i = 0; i < 4; ++i) {
      double& q = a.orientations[k][i];
      q = mixed(q, along < 0.0 ? -b.orientations[k][i] : b.orientations[k][i], s);
      square += q * q;
    }
    for (double& q : a.orientations[k]) q /= std::sqrt(std::max(square, 1e-300));
  }
  for (std::vector<double> Sample::*list : {&Sample::strain, &Sample::theta, &Sample::theta_dot}) {
    for (std::size_t k = 0; k < (a.*list).size(); ++k) (a.*list)[k] = mixed((a.*list)[k], (b.*list)[k], s);
  }
  for (double Sample::*total :
       {&Sample::kinetic, &Sample::potential, &Sample::elastic, &Sample::energy, &Sample::energy_error}) {
    a.*total = mixed(a.*total, b.*total, s);
  }
  a.t = t;
  return a;
}

void check_has_places(const Recording& recording, const SampleReader& reader,
                      const draw::Skeleton& skeleton) {
  if (reader.has_places() && !skeleton.links.empty()) return;
  throw InputError({recording.path},
                   "has no positions to show; record it with --quantities position, or all (coordinates of a "
                   "Lagrangian and states of equations have no place in space)");
}

std::vector<Sample> interpolated(Recording& recording, const MotionTimes& times,
                                 const draw::Skeleton& skeleton,
                                 const std::function<void(double)>& progress) {
  const SampleReader reader(recording.reader->info().stems, skeleton);
  check_has_places(recording, reader, skeleton);
  std::vector<double> before(reader.width()), after(reader.width());
  const std::size_t rows = recording.reader->rows();
  std::size_t row = row_before(recording, times.time(0), before);
  recording.reader->read(row, 1, before.data());
  recording.reader->read(std::min(row + 1, rows - 1), 1, after.data());
  std::vector<Sample> samples;
  for (std::size_t k = 0; k < times.count && !interrupted().load(); ++k) {
    const double t = times.time(k);
    while (after[0] < t && row + 2 < rows) {
      ++row;
      before.swap(after);
      recording.reader->read(row + 1, 1, after.data());
    }
    samples.push_back(between(reader, before.data(), after.data(), t));
    if (k % 64 == 0) progress(t);
  }
  return samples;
}

}  // namespace

std::vector<std::string> film_words(const Scene& scene) {
  const draw::Skeleton skeleton = draw::skeleton_of(scene);
  std::vector<std::string> words = {"position", "kinetic", "potential", "elastic", "energy", "energy_error"};
  if (!scene.chains.empty()) words.insert(words.end(), {"theta", "theta_dot"});
  const std::vector<Body>& bodies = scene.mechanism.bodies;
  const bool turns = std::any_of(bodies.begin(), bodies.end(), [](const Body& body) { return !body.point; });
  if (turns) words.emplace_back("orientation");
  const bool elastic =
      std::any_of(skeleton.links.begin(), skeleton.links.end(), [](const auto& l) { return l.elastic; });
  if (elastic) words.emplace_back("strain");
  const bool moves =
      std::any_of(skeleton.links.begin(), skeleton.links.end(), [](const auto& l) { return l.pivot_moves; });
  if (moves) words.emplace_back("direction");
  return words;
}

draw::Motion motion_of_rows(const Scene& scene, const std::vector<Stem>& stems,
                            const std::vector<std::vector<double>>& rows) {
  draw::Motion motion;
  motion.skeleton = draw::skeleton_of(scene);
  const SampleReader reader(stems, motion.skeleton);
  for (const std::vector<double>& row : rows) motion.samples.push_back(reader.sample(row.data()));
  return motion;
}

double last_time(Recording& recording) {
  std::vector<double> row(RunColumns(recording.reader->info().stems).size());
  return time_of_row(recording, recording.reader->rows() - 1, row);
}

draw::Motion recorded_motion(Recording& recording) {
  draw::Motion motion;
  motion.skeleton = skeleton_of(recording);
  const SampleReader reader(recording.reader->info().stems, motion.skeleton);
  check_has_places(recording, reader, motion.skeleton);
  std::vector<double> row(reader.width());
  for (std::size_t k = 0; k < recording.reader->rows(); ++k) {
    recording.reader->read(k, 1, row.data());
    motion.samples.push_back(reader.sample(row.data()));
  }
  return motion;
}

SampledMotion sampled_motion(Recording& recording, const MotionTimes& times, bool interpolate,
                             const std::function<void(double)>& progress) {
  SampledMotion out;
  out.motion.skeleton = skeleton_of(recording);
  out.motion.per_frame = times.per_frame;
  const std::string why = interpolate ? "as asked for" : why_not_again(recording);
  if (why.empty()) {
    out.motion.samples = computed_again(recording, times, out.motion.skeleton, progress);
    if (!out.motion.samples.empty() || interrupted().load()) return out;
  }
  out.note = why.empty()
                 ? "computed again it goes elsewhere, as chaotic motion does on another machine or version"
                 : why;
  out.motion.samples = interpolated(recording, times, out.motion.skeleton, progress);
  if (interrupted().load()) out.motion.samples.clear();
  return out;
}

}  // namespace catena::cli
