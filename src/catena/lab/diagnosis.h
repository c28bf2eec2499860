// Why a motion could not go on: the formula that leaves the range of numbers where a step failed.
#pragma once

#include <string>

namespace catena {

class Lab;

// The formula as written, its place, the time and the values of what it is a formula of, or the joint of a
// link that is folded back; "" where none of them is to blame. For a lab whose last step failed.
std::string formula_at_fault(Lab& lab);

// For a lab whose steps get ever shorter, or that slides along a switch: when, how short, and the formula
// that jumps, or has become large meanwhile.
std::string what_slows(Lab& lab, bool slides);

}  // namespace catena
