// A scene that a person handles: it goes forward and back in equal ticks, can be changed and dragged on the
// way, and may have ghosts, other motions that started beside it. The method's own steps do not depend on the
// ticks: rows are sampled from its dense output.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "catena/lab/experiment/history.h"
#include "catena/lab/lab.h"

namespace catena {

struct ExperimentOptions {
  double tick = 1.0 / 120;                 // s
  std::vector<std::string> quantities;     // of a row; those that the scene does not have are left out
  std::vector<std::string> ghost_columns;  // likewise, of a ghost's part of the row
};

// The energy just before and just after a change.
struct EnergyChange {
  double before = 0.0;
  double after = 0.0;
  bool restarted = false;  // other links than before: a fresh start
};

// Where a motion is, with all that is needed to take it up elsewhere.
struct Bookmark {
  std::int64_t tick = 0;
  Snapshot snapshot;
};

// More of the motion than its row has, at one instant.
struct Sight {
  std::vector<Stem> stems;
  std::vector<double> values;
  std::vector<double> rates;  // how fast these change
};

class Experiment {
 public:
  // Throws InputError, as Lab does.
  Experiment(Scene scene, ExperimentOptions options);

  const Scene& scene() const { return *scene_; }
  const Lab& lab() const { return *lab_; }
  std::int64_t tick() const { return tick_; }
  std::int64_t begin() const { return begin_; }
  std::int64_t end() const { return end_; }  // the last tick reached so far
  double time() const { return time_of(tick_); }

  // The columns of a row: the motion's, then those of each ghost.
  const Columns& columns() const { return *columns_; }
  const Columns& ghost_columns() const { return *ghost_columns_; }
  const std::vector<GhostSettings>& ghosts() const { return *ghost_settings_; }
  const std::vector<double>& row() const { return row_; }

  // These quantities here and now, as far as the scene has them; the motion is left as it is.
  Sight sight(const std::vector<std::string>& quantities);

  // One tick. Through what is known already, changes are made again at their ticks. On failure the motion
  // stays where it is.
  StepStatus forward();
  // Whether the next tick is one at which a change is made again: then columns may be others after it.
  bool change_ahead() const { return tick_ < end_ && history_.change_at(tick_ + 1) != nullptr; }
  // To any tick from begin() to end(), with the same bits as when it was first there.
  void go_to(std::int64_t tick);

  // The same motion under another scene of as many links: other gravity, masses, stiffness, method, or kind
  // of links. Other links, another number of chains: a fresh start. Forgets what came after this tick.
  EnergyChange change(Scene scene);

  // Time stands still while a hand holds the end of `link` of a chain. `may_leave_plane`: a planar chain
  // becomes a spatial one when the target is out of its plane.
  void drag(std::size_t chain, std::size_t link, const Vec3& target, bool may_leave_plane);
  // The same with a point of a body, given in the body's frame: it follows as far as the joints allow.
  void drag_body(std::size_t body, const Vec3& in_body, const Vec3& target);

  // Ghosts start here and now.
  void set_ghosts(std::vector<GhostSettings> ghosts);

  // From tick 0: as the scene says, or as the last drag left it.
  void restart(bool as_dragged);

  Bookmark bookmark() const { return {tick_, snapshot()}; }
  // The past of what is taken up is not known: begin() is its tick.
  void take_up(const Bookmark& bookmark);

 private:
  double time_of(std::int64_t tick) const { return static_cast<double>(tick) * options_.tick; }
  std::unique_ptr<Lab> make_lab(const Scene& scene) const;
  // `scene` with chains that move in space now kept there.
  Scene in_present_space(Scene scene) const;
  void set_scene(std::shared_ptr<const Scene> scene, std::unique_ptr<Lab> lab);
  void begin_history();
  Snapshot snapshot() const;
  void load(const Snapshot& snapshot);
  StepStatus reach(std::int64_t tick);
  void sample();
  void remember_change();
  void start_ghosts();
  // A drag was made: a restart may go back there, and ghosts start beside it.
  // Bodies that stand for links count behind those of the scene.
  void pull_body(std::size_t body, const Vec3& in_body, const Vec3& target);
  void remember_drag();
  // A world of this scene to try things in, beside the one that moves.
  World& trial();

  ExperimentOptions options_;
  std::shared_ptr<const Scene> scene_;
  std::unique_ptr<Lab> lab_;
  std::unique_ptr<Columns> columns_, ghost_columns_;
  std::shared_ptr<const std::vector<GhostSettings>> ghost_settings_;
  std::vector<std::unique_ptr<Lab>> ghosts_;  // null: it has failed
  std::vector<double> row_;
  History history_;
  std::int64_t begin_ = 0;
  std::int64_t tick_ = 0;
  std::int64_t end_ = 0;
  // Where the last drag left the chains, and the scene that says what its lanes mean.
  std::shared_ptr<const Scene> dragged_scene_;
  State dragged_;
  std::vector<AngleMemory> dragged_angles_;
  std::unique_ptr<World> trial_;
};

}  // namespace catena
