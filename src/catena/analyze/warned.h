// What motions are warned of, for analyses that are made of many of them.
#pragma once

#include <string>
#include <vector>

namespace catena {

class Lab;

// Adds what a motion was warned of so far: laws that act on nothing, what assembly changed, a balance of
// energy that is not kept. Of warnings that differ in their numbers alone the first one stands for all.
void note_warnings(const Lab& lab, std::vector<std::string>& notes);

}  // namespace catena
