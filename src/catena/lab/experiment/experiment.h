// A scene that a person handles: it goes forward and back in equal ticks, can be changed and dragged on the
// way, and may have ghosts, other motions that started beside it. The method's own steps do not depend on the
// ticks: rows are sampled from its dense output.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "catena/lab/experiment/hand.h"
#include "catena/lab/experiment/history.h"
#include "catena/lab/experiment/trace.h"
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

// Where a drag left the chains, and the scene that says what its lanes mean.
struct Dragged {
  std::shared_ptr<const Scene> scene;
  State state;
  std::vector<AngleMemory> angles;
};

// An experiment with all of its past, to come back to.
struct Memory {
  double tick_seconds = 0.0;
  std::int64_t begin = 0, tick = 0, end = 0;
  std::int64_t line = 0;  // experiments of one line have the same past up to where they part; 0: not known
  Snapshot present;
  History history;
  Dragged dragged;
};

// The columns that plots watch: which ones, and where those that there are stand.
struct Watched {
  std::vector<std::string> names;
  std::unique_ptr<Columns> own, ghost;
  // For each name: the part of the row it is from (0: the motion, 1: the first ghost, ..) and its place
  // there; -1: there is no such column.
  std::vector<std::pair<int, std::ptrdiff_t>> places;
};

// What a ghost's motion is computed from.
Scene ghost_scene(const Scene& scene, const GhostSettings& settings);

class Experiment {
 public:
  // Throws InputError, as Lab does.
  Experiment(Scene scene, ExperimentOptions options);
  ~Experiment();
  Experiment(Experiment&&) noexcept;
  Experiment& operator=(Experiment&&) noexcept;

  const Scene& scene() const { return *scene_; }
  const Lab& lab() const { return *lab_; }
  std::int64_t tick() const { return tick_; }
  std::int64_t begin() const { return begin_; }
  std::int64_t end() const { return end_; }  // the last tick reached so far
  double time() const { return time_of(tick_); }
  double tick_seconds() const { return options_.tick; }

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

  // A hand takes hold, and time goes on: what it holds follows it as by a spring, and the work that it does
  // is counted (`work`). A pivot that moves by itself cannot be held; then this says false.
  bool hold(const Grip& grip, const Vec3& target);
  // Where the hand goes from here.
  void pull(const Vec3& target);
  // A bob or body flies on as it is; a pivot comes to rest where the hand is. The energy before the hand took
  // hold and now.
  EnergyChange let_go();
  bool held() const { return grip_.has_value(); }
  bool holds_pivot() const { return held() && grip_->is_pivot(); }

  // Ghosts start here and now.
  void set_ghosts(std::vector<GhostSettings> ghosts);

  // From tick 0: as the scene says, or as the last drag left it.
  void restart(bool as_dragged);

  Bookmark bookmark() const { return {tick_, snapshot()}; }
  // The past of what is taken up is not known: begin() is its tick.
  void take_up(const Bookmark& bookmark);

  // All that there is to remember, and back to it. `parted`: up to this tick both have the same past.
  Memory memory() const;
  void recall(const Memory& memory, std::int64_t parted);

  // Columns to keep the values of, by name, also those of ghosts ("ghost1.x_2") and such as the scene does
  // not have (nan). Where they were not kept so far they are computed again, when asked for.
  void watch(const std::vector<std::string>& names);
  const std::vector<std::string>& watched() const { return watched_.names; }
  // What is known of the watched columns between two ticks, some `points` of them, as `plotted` writes it.
  // Computes up to `most_ticks` again; `complete` says whether there is more to compute.
  struct Plotted {
    std::vector<double> rows;
    std::int64_t stride = 1;
    bool complete = true;
  };
  Plotted plotted(std::int64_t first, std::int64_t last, int points, bool envelope, std::int64_t most_ticks);
  // Goes through past ticks and back, and shows each on the way.
  template <typename Visit>
  void revisit(std::int64_t first, std::int64_t last, Visit visit) {
    const Bookmark here = bookmark();
    load_before(first);
    while (tick_ < first && forward() == StepStatus::done) {
    }
    for (visit(); tick_ < last && forward() == StepStatus::done;) visit();
    tick_ = here.tick;
    load(here.snapshot);
  }

 private:
  static std::int64_t next_line();  // a number that no other experiment's past has
  double time_of(std::int64_t tick) const { return static_cast<double>(tick) * options_.tick; }
  std::unique_ptr<Lab> make_lab(const Scene& scene) const;
  // `scene` with chains that move in space now kept there.
  Scene in_present_space(Scene scene) const;
  void set_scene(std::shared_ptr<const Scene> scene, std::unique_ptr<Lab> lab);
  void begin_history();
  Snapshot snapshot() const;
  void load(const Snapshot& snapshot);
  StepStatus reach(std::int64_t tick);
  // At the last snapshot before a past tick.
  void load_before(std::int64_t tick);
  void sample();
  void find_watched();
  void trace_row();
  void remember_change();
  void start_ghosts();
  // A ghost as its scene starts.
  std::unique_ptr<Lab> fresh_ghost(std::size_t i, std::unique_ptr<Lab> made_before);
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
  std::string column_shape_;  // of the world they are of
  std::shared_ptr<const std::vector<GhostSettings>> ghost_settings_;
  std::vector<std::unique_ptr<Lab>> ghosts_;  // null: it has failed
  // Of what the ghosts were made, and each as it was then: while a hand drags they start again, at every move
  // of it, without being made again.
  struct GhostsMade {
    std::shared_ptr<const Scene> scene;
    std::shared_ptr<const std::vector<GhostSettings>> settings;
    std::vector<std::string> fresh;
  };
  GhostsMade ghosts_made_;
  std::vector<double> row_;
  History history_;
  std::int64_t begin_ = 0;
  std::int64_t tick_ = 0;
  std::int64_t end_ = 0;
  Dragged dragged_;  // the last
  std::unique_ptr<World> trial_;
  Watched watched_;
  Trace trace_;
  std::vector<double> trace_row_;
  std::int64_t line_ = 0;
  // While a hand holds something: what, where it goes, the scene without it, and the energy before.
  std::optional<Grip> grip_;
  std::optional<HandPath> hand_path_;
  std::shared_ptr<const Scene> free_scene_;
  double energy_before_hand_ = 0.0;
};

}  // namespace catena
