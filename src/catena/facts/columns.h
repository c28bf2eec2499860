// What can be recorded, and the columns of one recording. What they are computed from is in observe.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "catena/model/columns.h"
#include "catena/model/mechanism.h"

namespace catena {

class World;
struct RowParts;

struct QuantityInfo {
  std::string stem;
  std::string group;  // position velocity direction rotation angles momentum energies reactions run digits
  std::string unit;
  std::string summary;
  enum class Scope {
    link,
    chain,
    chain_end,
    body,
    joint,
    mechanism,
    coordinate,
    multiplier,
    state,
    invariant,
    total
  } scope = Scope::link;
  bool elastic_only = false;                 // rigid chains do not have it
  bool of_bodies = false;                    // a link's quantity that bodies have too
  Coordinate coordinate = Coordinate::none;  // of a joint: only those with such a coordinate have it
};

// All quantities, in the order of columns.
std::vector<QuantityInfo> quantities();

// The columns of one recording.
class Columns {
 public:
  // `asked`: columns ("energy", "x_2"), stems ("theta") or groups ("position"); empty or "all": everything,
  // of worlds with more digits than a double those too.
  // Throws InputError that names each unknown word and the nearest known one.
  Columns(const World& world, const std::vector<std::string>& asked);

  const std::vector<Stem>& stems() const { return stems_; }  // the first is "t"
  std::size_t width() const { return width_; }
  bool needs_reactions() const { return needs_reactions_; }
  bool needs_digits() const { return needs_digits_; }  // those beyond a double's

  void write(double t, const RowParts& parts, double* row) const;

 private:
  struct Source {
    int quantity;            // index in the table
    int chain;               // which chain; kOfAll, kOfBodies, kOfJoints, kOfFormulas
    std::size_t count;       // of links: the first so many of them, where `links` are not given
    std::vector<int> links;  // which ones
  };
  std::vector<Stem> stems_;
  std::vector<Source> sources_;
  std::size_t width_ = 1;
  bool needs_reactions_ = false, needs_digits_ = false;
};

}  // namespace catena
