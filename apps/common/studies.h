// Studies by name, as `catena compare NAME` and Python's `compare(NAME)` run them.
#pragma once

#include <optional>
#include <string>

#include "catena/analyze/comparison.h"
#include "catena/io/scene/study.h"
#include "settings.h"

namespace catena {

// The study that an argument names: one of those shipped, or a file that says which methods. Throws
// InputError with all mistakes in it.
std::optional<Study> find_study(const std::string& argument);

// Steps and tolerances where the study has none. Throws InputError where it names a method that there is not.
void complete(Study& study);

// Settings of the scene of a case: `given` beside the study go before its own.
Settings settings_of(const Study& study, const StudyCase& one, Settings given);

// One case of a study.
Comparison compare(const Scene& scene, const Study& study, const ComparisonOptions& options);

}  // namespace catena
