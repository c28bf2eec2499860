// What a plan measures, in the order of its measures, as threads are told it.
#pragma once

#include <string>
#include <vector>

#include "catena/model/sweep.h"
#include "catena/threads/program.h"
#include "catena/threads/thread_columns.h"

namespace catena {
namespace threads {

struct Asked {
  std::vector<std::string> columns;
  std::vector<ThreadFormula> formulas;  // of events; those that end a case first
};

// Fills in the task, and what the program has to be recorded for.
void ask(const Lab& lab, const SweepPlan& plan, ThreadProgram& program, Asked& asked);

}  // namespace threads
}  // namespace catena
