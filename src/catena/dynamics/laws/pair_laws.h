// Laws between masses: springs, charges and magnetic moments.
#pragma once

#include <vector>

#include "catena/dynamics/laws/law_masses.h"

namespace catena {

void build_springs(const Actors& actors, std::vector<LawGroup>& groups, LeftPlanes& leaves);
void build_charges(const Actors& actors, std::vector<LawGroup>& groups, LeftPlanes& leaves);
void build_dipoles(const Actors& actors, const ForceEntry& entry, std::vector<LawGroup>& groups,
                   LeftPlanes& leaves);

}  // namespace catena
