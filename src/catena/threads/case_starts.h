// The numbers that cases of a sweep start from.
#pragma once

#include <memory>
#include <vector>

#include "catena/lab/lab.h"
#include "catena/sweep/sweep.h"
#include "catena/threads/program.h"

namespace catena {

// One thread at a time.
class CaseStarts {
 public:
  CaseStarts(const Sweep& sweep, const ThreadProgram& program)
      : program_(program),
        cases_(sweep.plan()),
        scenes_(sweep.scenes()()),
        values_(cases_.width() + 1, 0.0) {}

  bool is_skipped(std::uint64_t index) {
    cases_.values(index, values_.data());
    return cases_.is_skipped(values_.data());
  }
  // False: the case has no start that threads could take; labs say why.
  bool write(std::uint64_t index, double* out);

 private:
  const ThreadProgram& program_;
  SweepCases cases_;
  std::unique_ptr<CaseScenes> scenes_;
  std::vector<double> values_;
  std::unique_ptr<Lab> lab_;
};

}  // namespace catena
