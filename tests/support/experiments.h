// Experiments that several tests play with.
#pragma once

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "catena/lab/experiment/experiment.h"

namespace catena::test {

inline void play(Experiment& experiment, int ticks) {
  for (int i = 0; i < ticks; ++i) ASSERT_EQ(experiment.forward(), StepStatus::done);
}

inline std::size_t column(const Columns& columns, const std::string& name) {
  std::size_t at = 0;
  for (const Stem& stem : columns.stems()) {
    if (stem.labels.empty() && stem.name == name) return at;
    for (const std::string& label : stem.labels) {
      if (stem.name + "_" + label == name) return at;
      ++at;
    }
    if (stem.labels.empty()) ++at;
  }
  throw std::runtime_error("no column " + name);
}

inline double value(const Experiment& experiment, const std::string& name) {
  return experiment.row()[column(experiment.columns(), name)];
}

}  // namespace catena::test
