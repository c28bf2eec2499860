#include "catena/analyze/orbit_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "catena/analyze/orbit_finder.h"
#include "catena/analyze/section_starts.h"
#include "catena/analyze/shown.h"
#include "catena/analyze/statistics.h"
#include "catena/base/mistake.h"
#include "catena/base/words.h"

namespace catena {
namespace {

OrbitOptions orbit_options(const OrbitSearchOptions& from) {
  OrbitOptions out;
  out.period = from.period;
  out.stop = from.stop;
  out.pulse = from.pulse;
  return out;
}

class Search : public OrbitFinder {
 public:
  Search(const Scene& scene, const OrbitSearchOptions& options, const OrbitOptions& closing)
      : OrbitFinder(scene, closing), scene_(scene), search_(options), walker_(scene) {}

  OrbitSearchResult result() {
    prepare();
    follow();
    if (shooting_.problem().driven)
      search_driven();
    else
      search_free();
    if (stopped()) out_.interrupted = true;
    std::sort(out_.orbits.begin(), out_.orbits.end(), [](const SearchedOrbit& a, const SearchedOrbit& b) {
      return a.orbit.motion.period < b.orbit.motion.period;
    });
    if (out_.orbits.empty() && !out_.interrupted)
      out_.notes.push_back(fmt::format(
          "none of the {} closed; more starts (--starts), a longer motion (--duration) or another "
          "section (--when) may",
          counted(out_.tries, "motion") + " tried"));
    return std::move(out_);
  }

 private:
  bool stopped() const { return search_.stop != nullptr && search_.stop->load(); }

  // The scene's own motion: how far it goes, and the symmetries of its equations.
  void follow() {
    ClosingProblem& problem = shooting_.problem();
    if (problem.driven) {
      if (search_.period) problem.drive_period = *search_.period;
      drive_ = shooting_.drive_period(parameter_);
      if (search_.period) check_given(drive_);
    }
    constexpr std::size_t kCount = 2001;
    const std::vector<std::string> words =
        known_words(shooting_.lab(parameter_), {"states", "angles", "position"});
    own_ = shooting_.course(start_, words, duration_, kCount);
    if (!own_.done) refuse("the motion could not be followed over " + number_text(duration_) + " s");
    if (!problem.driven) find_kept();
    low_ = high_ = own_.states[0];
    for (const std::vector<double>& x : own_.states) {
      for (std::size_t i = 0; i < x.size(); ++i) {
        low_[i] = std::min(low_[i], x[i]);
        high_[i] = std::max(high_[i], x[i]);
      }
      size_ = std::max(size_, shooting_.distance(x, own_.states[0]));
    }
    if (!(size_ > 0.0))
      throw InputError(
          {scene_.name},
          "the start is an equilibrium: nothing moves; start beside it, or see `catena analyze modes`");
    Lab& lab = shooting_.lab(parameter_);
    symmetries_ = sign_symmetries(lab, own_.states, 0.5 * drive_, false);
    if (!problem.driven) {
      for (std::vector<double>& one : sign_symmetries(lab, own_.states, 0.0, true))
        symmetries_.push_back(std::move(one));
    }
    out_.symmetries = symmetries_.size();
  }

  // Where the first coordinate that moves passes its mean.
  std::string own_section() {
    for (std::size_t c = 0; c < own_.names.size(); ++c) {
      double least = own_.rows[0][c], most = least, sum = 0.0;
      for (const std::vector<double>& row : own_.rows) {
        least = std::min(least, row[c]);
        most = std::max(most, row[c]);
        sum += row[c] / static_cast<double>(own_.rows.size());
      }
      if (!(most - least > 1e-6 * size_)) continue;
      const bool about_zero = least < 0.0 && most > 0.0 && std::fabs(sum) < 0.25 * (most - least);
      if (about_zero) return own_.names[c];
      return fmt::format("{} - ({:.6g})", own_.names[c], sum);
    }
    throw InputError({scene_.name}, "no coordinate moves: give the section by --when");
  }

  void search_free() {
    SectionOptions options;
    options.when = out_.when = search_.when.empty() ? own_section() : search_.when;
    options.direction = search_.direction;
    options.duration = duration_;
    options.energy = search_.energy;
    options.starts = search_.starts;
    options.seed = search_.seed;
    options.stop = search_.stop;
    const bool keeps = !shooting_.problem().conserved.empty();
    const std::vector<std::vector<double>> starts = scattered_on_section(scene_, options, keeps);
    out_.starts = starts.size();
    for (std::size_t i = 0; i < starts.size() && !stopped(); ++i) {
      try_start(starts[i], options);
      if (search_.progress) search_.progress(static_cast<double>(i + 1) / static_cast<double>(starts.size()));
    }
  }

  // Every return that comes near the start is closed.
  void try_start(const std::vector<double>& x, const SectionOptions& options) {
    keep(x);
    State state = walker_.state();
    state.hi = x;
    std::fill(state.lo.begin(), state.lo.end(), 0.0);
    state.t = state.t_lo = 0.0;
    walker_.place(std::move(state));
    SectionWatch watch(walker_, options.when, options.direction, {});
    int seen = 0;
    double size = 0.0;
    while (walker_.time() < duration_ && seen < search_.returns) {
      if (stopped() || walker_.advance() != StepStatus::done) return;
      size = std::max(size, shooting_.distance(walker_.state().hi, x));
      for (const SectionWatch::Passage& passage : watch.look(duration_)) {
        if (passage.time < 1e-6 * duration_) continue;  // the start itself
        if (++seen > search_.returns) return;
        const double apart = shooting_.distance(walker_.state_at(passage.time).hi, x);
        if (!(apart < 0.6 * size)) continue;
        const ClosedMotion guess{parameter_, passage.time, {x}};
        ++out_.tries;
        if (close(guess) || close(split(guess, 5))) add(shortest(std::move(best_)));
      }
    }
  }

  // Sections are the periods of the drive; starts are spread over what the motion fills.
  void search_driven() {
    Random random(search_.seed);
    const std::size_t lanes = shooting_.lab(parameter_).motion_lanes();
    for (std::size_t i = 0; i < search_.starts && !stopped(); ++i) {
      std::vector<double> x = own_.states[i % 2 == 0 ? 0 : i * (own_.states.size() - 1) / search_.starts];
      if (i % 2 == 0) {
        for (std::size_t lane = 0; lane < lanes; ++lane)
          x[lane] = low_[lane] + random.uniform() * (high_[lane] - low_[lane]);
      }
      x = shooting_.lab(parameter_).projected(0.0, x);
      for (int multiple = 1; multiple <= search_.returns; ++multiple) {
        shooting_.problem().multiple = multiple;
        ++out_.tries;
        if (close({parameter_, drive_ * multiple, {x}})) add(shortest(std::move(best_)));
      }
      ++out_.starts;
      if (search_.progress)
        search_.progress(static_cast<double>(i + 1) / static_cast<double>(search_.starts));
    }
  }

  // Whether x lies on the motion, in a thousandth of its size: states are that close along it.
  bool lies_on(const std::vector<double>& x, const SearchedOrbit& known) const {
    const std::vector<std::vector<double>>& states = known.orbit.course.states;
    double size = 0.0, least = std::numeric_limits<double>::infinity();
    for (const std::vector<double>& one : states) size = std::max(size, shooting_.distance(one, states[0]));
    if (shooting_.problem().driven) {
      const auto every = (states.size() - 1) / static_cast<std::size_t>(known.orbit.multiple);
      for (std::size_t k = 0; k < states.size(); k += every)
        least = std::min(least, shooting_.distance(states[k], x));
      return least < 1e-5 * size + 1e-9;
    }
    for (std::size_t k = 0; k + 1 < states.size(); ++k)
      least = std::min(least, distance_to(x, states[k], states[k + 1]));
    return least < 1e-3 * size;
  }
  double distance_to(const std::vector<double>& x, const std::vector<double>& from,
                     const std::vector<double>& to) const {
    double along = 0.0, square = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      along += (x[i] - from[i]) * (to[i] - from[i]);
      square += (to[i] - from[i]) * (to[i] - from[i]);
    }
    const double part = square > 0.0 ? std::clamp(along / square, 0.0, 1.0) : 0.0;
    std::vector<double> nearest = from;
    for (std::size_t i = 0; i < x.size(); ++i) nearest[i] += part * (to[i] - from[i]);
    return shooting_.distance(nearest, x);
  }

  // The state of the image at the same phase of the drive.
  std::vector<double> image_of(const SearchedOrbit& one, const std::vector<double>& signs) const {
    const std::vector<std::vector<double>>& states = one.orbit.course.states;
    const std::size_t half = shooting_.problem().driven
                                 ? (states.size() - 1) / (2 * static_cast<std::size_t>(one.orbit.multiple))
                                 : 0;
    std::vector<double> out = states[half];
    for (std::size_t i = 0; i < out.size(); ++i) out[i] *= signs[i];
    return out;
  }

  void add(const ClosingLook& look) {
    SearchedOrbit one;
    one.orbit = described(look);
    if (!one.orbit.course.done) return;
    for (SearchedOrbit& known : out_.orbits) {
      const double apart = std::fabs(known.orbit.motion.period - look.motion.period);
      if (apart > 1e-6 * look.motion.period || known.orbit.multiple != one.orbit.multiple) continue;
      bool is_known = lies_on(look.motion.states[0], known);
      for (const std::vector<double>& signs : symmetries_)
        is_known = is_known || lies_on(image_of(one, signs), known);
      if (!is_known) continue;
      ++known.hits;
      return;
    }
    // Of a group of changes of sign those that leave the motion as it is are a part; the others make images
    // of it.
    std::size_t same = 1;
    for (const std::vector<double>& signs : symmetries_) same += lies_on(image_of(one, signs), one) ? 1 : 0;
    one.images = (symmetries_.size() + 1) / same;
    if (!shooting_.problem().kept.empty()) one.energy = shooting_.problem().kept[0];
    one.action = action_of(one.orbit);
    out_.orbits.push_back(std::move(one));
  }

  // Of a motion of masses 2 T is p dq/dt; of equations, momenta are states that are called p and a
  // coordinate's name. The trapezoidal rule over a period has all digits of what is smooth.
  std::optional<double> action_of(const Orbit& orbit) {
    Lab& lab = shooting_.lab(parameter_);
    const WorldFacts facts = lab.facts();
    const std::vector<std::vector<double>>& states = orbit.course.states;
    std::vector<std::pair<std::size_t, std::size_t>> pairs;  // coordinate, momentum
    if (facts.equations) {
      for (std::size_t q = 0; q < facts.lanes.size(); ++q) {
        for (std::size_t p = 0; p < facts.lanes.size(); ++p) {
          if (facts.lanes[p] == "p" + facts.lanes[q] || facts.lanes[p] == "p_" + facts.lanes[q])
            pairs.emplace_back(q, p);
        }
      }
      if (2 * pairs.size() != lab.motion_lanes()) return std::nullopt;
    }
    double sum = 0.0;
    for (std::size_t k = 0; k + 1 < states.size(); ++k) {
      const double t = orbit.course.times[k];
      if (!facts.equations) {
        sum += 2.0 * lab.energies_of(t, states[k]).kinetic;
        continue;
      }
      const std::vector<double> rate = lab.rhs(t, states[k]);
      for (const auto& [q, p] : pairs) sum += states[k][p] * rate[q];
    }
    return sum * orbit.motion.period / static_cast<double>(states.size() - 1);
  }

  const Scene& scene_;
  const OrbitSearchOptions& search_;
  Lab walker_;
  OrbitSearchResult out_;
  Closing::Course own_;
  std::vector<double> low_, high_;  // of the lanes along it
  double size_ = 0.0, drive_ = 0.0;
  std::vector<std::vector<double>> symmetries_;
};

}  // namespace

OrbitSearchResult search_orbits(const Scene& scene, const OrbitSearchOptions& options) {
  const OrbitOptions closing = orbit_options(options);
  return Search(scene, options, closing).result();
}

}  // namespace catena
