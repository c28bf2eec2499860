#include "catena/observe/quantities.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <utility>

#include "catena/base/mistake.h"
#include "catena/base/words.h"

namespace catena {
namespace {

using Scope = QuantityInfo::Scope;

// One line of the table: what it is and where its numbers come from.
struct Quantity {
  QuantityInfo info;
  std::function<double(const ChainFrame&, std::size_t)> of_link = {};
  std::function<double(const ChainFrame&)> of_chain = {};
  std::function<double(const std::vector<ChainFrame>&, const RowTotals&)> of_all = {};
};

Quantity link_value(std::string stem, std::string group, std::string unit, std::string summary,
                    std::function<double(const ChainFrame&, std::size_t)> value) {
  return {{std::move(stem), std::move(group), std::move(unit), std::move(summary), Scope::link},
          std::move(value)};
}

Quantity link_lanes(std::string stem, std::string group, std::string unit, std::string summary,
                    Lanes ChainFrame::*lanes) {
  return link_value(std::move(stem), std::move(group), std::move(unit), std::move(summary),
                    [lanes](const ChainFrame& frame, std::size_t k) { return (frame.*lanes)[k]; });
}

// Columns that only elastic chains have.
Quantity elastic_lanes(std::string stem, std::string group, std::string unit, std::string summary,
                       Lanes ChainFrame::*lanes) {
  Quantity out = link_lanes(std::move(stem), std::move(group), std::move(unit), std::move(summary), lanes);
  out.info.elastic_only = true;
  return out;
}

Quantity total(std::string stem, std::string group, std::string unit, std::string summary,
               std::function<double(const std::vector<ChainFrame>&, const RowTotals&)> value) {
  return {{std::move(stem), std::move(group), std::move(unit), std::move(summary), Scope::total},
          {},
          {},
          std::move(value)};
}

Quantity total_of(std::string stem, std::string group, std::string unit, std::string summary,
                  double RowTotals::*member) {
  return total(std::move(stem), std::move(group), std::move(unit), std::move(summary),
               [member](const std::vector<ChainFrame>&, const RowTotals& totals) { return totals.*member; });
}

constexpr const char* kAxes[3] = {"x", "y", "z"};

void add_vector(std::vector<Quantity>& table, const std::string& prefix, const std::string& group,
                const std::string& unit, const std::string& summary, Lanes3 ChainFrame::*lanes) {
  for (std::size_t i = 0; i < 3; ++i) {
    table.push_back(
        link_value(prefix + kAxes[i], group, unit, summary,
                   [lanes, i](const ChainFrame& frame, std::size_t k) { return (frame.*lanes)[i][k]; }));
  }
}

double length_at(const Lanes3& vectors, std::size_t k) {
  return std::hypot(vectors[0][k], vectors[1][k], vectors[2][k]);
}

double component_sum(const std::vector<ChainFrame>& frames, Lanes3 ChainFrame::*lanes, std::size_t i) {
  double sum = 0.0;
  for (const ChainFrame& frame : frames) {
    for (const double value : (frame.*lanes)[i]) sum += value;
  }
  return sum;
}

void add_vector_total(std::vector<Quantity>& table, const std::string& prefix, const std::string& unit,
                      const std::string& summary, Lanes3 ChainFrame::*lanes) {
  for (std::size_t i = 0; i < 3; ++i) {
    table.push_back(total(prefix + kAxes[i] + "_total", "momentum", unit, summary,
                          [lanes, i](const std::vector<ChainFrame>& frames, const RowTotals&) {
                            return component_sum(frames, lanes, i);
                          }));
  }
  table.push_back(total(prefix + "_total", "momentum", unit, summary + ", size",
                        [lanes](const std::vector<ChainFrame>& frames, const RowTotals&) {
                          return std::hypot(component_sum(frames, lanes, 0), component_sum(frames, lanes, 1),
                                            component_sum(frames, lanes, 2));
                        }));
}

std::vector<Quantity> make_table() {
  using F = ChainFrame;
  std::vector<Quantity> table;
  add_vector(table, "", "position", "m", "position of the link's end", &F::end);
  add_vector(table, "v", "velocity", "m/s", "velocity of the link's end", &F::end_velocity);
  table.push_back(link_lanes("theta", "angles", "rad", "polar angle from straight down", &F::theta));
  table.push_back(link_lanes("phi", "angles", "rad", "azimuth", &F::phi));
  table.push_back(link_lanes("theta_dot", "angles", "rad/s", "rate of theta", &F::theta_dot));
  table.push_back(link_lanes("phi_dot", "angles", "rad/s", "rate of phi; nan at a pole", &F::phi_dot));
  table.push_back(
      link_lanes("pole", "angles", "", "chart of the angles: 1 pole along z, 0 along x", &F::pole));
  add_vector(table, "u", "direction", "", "unit vector along the link", &F::direction);
  add_vector(table, "w", "rotation", "rad/s", "angular velocity of the link", &F::rotation);
  table.push_back(
      link_lanes("tension", "reactions", "N", "pull along the link at its upper joint", &F::tension));
  table.push_back(elastic_lanes("strain", "reactions", "", "stretch over length at rest; elastic chains only",
                                &F::strain));
  for (std::size_t i = 0; i < 3; ++i) {
    table.push_back(
        {{std::string("f") + kAxes[i], "reactions", "N", "force of the pivot on the chain", Scope::chain},
         {},
         [i](const F& frame) { return frame.pivot_force[i]; }});
  }
  add_vector(table, "p", "momentum", "kg m/s", "linear momentum of the link", &F::momentum);
  add_vector(table, "l", "momentum", "kg m^2/s", "angular momentum of the link about the pivot",
             &F::angular_momentum);
  table.push_back(link_value("p", "momentum", "kg m/s", "linear momentum of the link, size",
                             [](const F& f, std::size_t k) { return length_at(f.momentum, k); }));
  table.push_back(link_value("l", "momentum", "kg m^2/s",
                             "angular momentum of the link about the pivot, size",
                             [](const F& f, std::size_t k) { return length_at(f.angular_momentum, k); }));
  table.push_back(link_lanes("kinetic", "energies", "J", "kinetic energy of the link", &F::kinetic));
  table.push_back(link_lanes("potential", "energies", "J", "potential energy of the link", &F::potential));
  table.push_back(elastic_lanes("elastic", "energies", "J", "elastic energy of the link; elastic chains only",
                                &F::elastic));
  table.push_back(
      link_value("energy", "energies", "J", "energy of the link: kinetic + potential + elastic",
                 [](const F& f, std::size_t k) { return f.kinetic[k] + f.potential[k] + f.elastic[k]; }));
  add_vector_total(table, "p", "kg m/s", "total linear momentum", &F::momentum);
  add_vector_total(table, "l", "kg m^2/s", "total angular momentum", &F::angular_momentum);
  table.push_back(total_of("kinetic", "energies", "J", "kinetic energy", &RowTotals::kinetic));
  table.push_back(
      total_of("potential", "energies", "J", "potential energy, zero at z = 0", &RowTotals::potential));
  table.push_back(
      total_of("elastic", "energies", "J", "elastic energy; rigid links have none", &RowTotals::elastic));
  table.push_back(total_of("energy", "energies", "J", "kinetic + potential + elastic", &RowTotals::energy));
  table.push_back(total_of("dissipated", "energies", "J",
                           "energy lost to damping, friction and drag since the start",
                           &RowTotals::dissipated));
  table.push_back(
      total_of("work", "energies", "J", "work done by drives and fields since the start", &RowTotals::work));
  table.push_back(total_of("balance", "energies", "J", "energy + dissipated - work", &RowTotals::balance));
  table.push_back(total_of("energy_error", "energies", "J",
                           "energy minus its start, plus dissipated, minus work", &RowTotals::energy_error));
  table.push_back(
      total_of("step_size", "run", "s", "the integrator's step at this time", &RowTotals::step_size));
  table.push_back(total_of("constraint_error", "run", "", "largest violation of |u| = 1 and u . du/dt = 0",
                           &RowTotals::constraint_error));
  return table;
}

const std::vector<Quantity>& table() {
  static const std::vector<Quantity> all = make_table();
  return all;
}

// Every column of one quantity: its names, so that words can be matched against them.
struct Candidate {
  Stem stem;
  int quantity;
  int chain;
};

std::vector<Candidate> candidates(const World& world) {
  std::vector<Candidate> out;
  for (std::size_t q = 0; q < table().size(); ++q) {
    const QuantityInfo& info = table()[q].info;
    if (info.scope == Scope::total) {
      out.push_back({{info.stem, {}}, static_cast<int>(q), -1});
      continue;
    }
    for (std::size_t c = 0; c < world.chains().size(); ++c) {
      const ChainUnit& unit = world.chains()[c];
      if (info.elastic_only && !unit.elastic()) continue;
      Stem stem{unit.name.empty() ? info.stem : info.stem + "_" + unit.name, {}};
      if (info.scope == Scope::chain) {
        stem.name += "_pivot";
      } else {
        for (std::size_t k = 1; k <= unit.links(); ++k) stem.labels.push_back(std::to_string(k));
      }
      out.push_back({std::move(stem), static_cast<int>(q), static_cast<int>(c)});
    }
  }
  return out;
}

// What the words ask for: whole quantities by group or stem, or single columns.
class Wanted {
 public:
  Wanted(const std::vector<Candidate>& all, const std::vector<std::string>& asked) {
    std::vector<Mistake> mistakes;
    for (const std::string& word : asked) {
      if (word == "all" || word == "t") {
        everything_ = everything_ || word == "all";
        continue;
      }
      if (!take(all, word)) {
        Mistake mistake;
        mistake.place.source = "--quantities";
        mistake.message = fmt::format("unknown quantity '{}'{}", word, remedy(all, word));
        mistakes.push_back(std::move(mistake));
      }
    }
    if (asked.empty()) everything_ = true;
    if (!mistakes.empty()) throw InputError(std::move(mistakes));
  }

  // Labels of the candidate that are wanted (all for single columns); nothing: not wanted.
  bool select(std::size_t candidate, const Stem& stem, std::vector<int>& links) const {
    links.clear();
    const bool whole = everything_ || whole_.count(candidate) > 0;
    for (std::size_t k = 0; k < stem.labels.size(); ++k) {
      if (whole || columns_.count(stem.name + "_" + stem.labels[k]) > 0) links.push_back(static_cast<int>(k));
    }
    return whole || !links.empty();
  }

 private:
  bool take(const std::vector<Candidate>& all, const std::string& word) {
    // A single column of this name (the total `energy`) comes before the stem of the same name (`energy_1`
    // ..).
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].stem.labels.empty() && all[i].stem.name == word) return whole_.insert(i), true;
    }
    bool found = false;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const QuantityInfo& info = table()[all[i].quantity].info;
      const std::string plural = word + "s";  // "energies" and "reactions" are also known as one of them
      if (info.group == word || info.group == plural || info.stem == word || all[i].stem.name == word) {
        whole_.insert(i);
        found = true;
      }
      const std::string prefix = all[i].stem.name + "_";
      if (word.rfind(prefix, 0) != 0) continue;
      const std::vector<std::string>& labels = all[i].stem.labels;
      const bool is_column =
          std::find(labels.begin(), labels.end(), word.substr(prefix.size())) != labels.end();
      if (is_column) return columns_.insert(word), true;
    }
    return found;
  }

  static std::string remedy(const std::vector<Candidate>& all, const std::string& word) {
    std::set<std::string> known{"all"};
    for (const Candidate& candidate : all) {
      known.insert(table()[candidate.quantity].info.group);
      known.insert(candidate.stem.name);
      if (!candidate.stem.labels.empty())
        known.insert(candidate.stem.name + "_" + candidate.stem.labels.back());
    }
    const std::string near = did_you_mean(word, {known.begin(), known.end()});
    return near.empty() ? ": `catena list quantities` shows them all" : near;
  }

  bool everything_ = false;
  std::set<std::size_t> whole_;
  std::set<std::string> columns_;
};

}  // namespace

std::vector<QuantityInfo> quantities() {
  std::vector<QuantityInfo> out;
  for (const Quantity& quantity : table()) out.push_back(quantity.info);
  return out;
}

Columns::Columns(const World& world, const std::vector<std::string>& asked) : stems_{{"t", {}}} {
  const std::vector<Candidate> all = candidates(world);
  const Wanted wanted(all, asked);
  std::vector<int> links;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!wanted.select(i, all[i].stem, links)) continue;
    Stem stem{all[i].stem.name, {}};
    for (const int k : links) stem.labels.push_back(all[i].stem.labels[k]);
    width_ += std::max<std::size_t>(1, links.size());
    needs_reactions_ = needs_reactions_ || table()[all[i].quantity].info.group == "reactions";
    stems_.push_back(std::move(stem));
    sources_.push_back({all[i].quantity, all[i].chain, links});
  }
}

void Columns::write(double t, const std::vector<ChainFrame>& frames, const RowTotals& totals,
                    double* row) const {
  *row++ = t;
  for (const Source& source : sources_) {
    const Quantity& quantity = table()[source.quantity];
    if (quantity.of_all) {
      *row++ = quantity.of_all(frames, totals);
    } else if (quantity.of_chain) {
      *row++ = quantity.of_chain(frames[source.chain]);
    } else {
      for (const int k : source.links) *row++ = quantity.of_link(frames[source.chain], k);
    }
  }
}

}  // namespace catena
