// Which catena this is, and how it was built.
#pragma once

#include <string>
#include <string_view>

namespace catena {

// "0.2.0"; CMakeLists.txt is the one place that says it.
std::string_view this_version();

// "release build by GCC 12.2.0 for x86-64-v3 (AVX2 and FMA)".
std::string build_facts();

// Whether what `version` wrote may hold what this program does not know: its first two numbers are later than
// ours. What is no version is not later.
bool is_later_version(std::string_view version);

// "a later version of catena wrote it: 0.3.0, and this is 0.2.0; ..", for files that are refused for it.
std::string too_late(std::string_view version);

}  // namespace catena
