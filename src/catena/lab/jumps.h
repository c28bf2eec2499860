// Whether the rates of a motion jump within a step, as where a law switches.
#pragma once

namespace catena {

struct State;
class World;

// Along a step whose error is at most `allowed`, and as far again ahead of it: whether the rates change by a
// jump that counts, or all of their change is smooth. Found by halving, whatever the law.
bool rates_jump(World& world, const State& from, const State& to, double allowed);

}  // namespace catena
