# The headers that are kept precompiled: what many sources include. GCC 12 compiles what is inside them with the options that they were
# kept with, so there is a set for each way in which sources are compiled.
set(standard_headers <algorithm> <array> <atomic> <cassert> <chrono> <cmath> <complex> <cstdint> <cstdlib> <cstring> <deque>
  <filesystem> <fstream> <functional> <iterator> <limits> <map> <memory> <mutex> <new> <numbers> <numeric> <optional> <random> <set>
  <span> <sstream> <stdexcept> <string> <string_view> <thread> <tuple> <type_traits> <unordered_map> <unordered_set> <utility>
  <variant> <vector> <fmt/format.h>)
# Eigen is where sources compute with it; headers that many include do without (spring_blocks.h, sparse_solver.h). JSON costs each source
# that is compiled with it 0.3 s, used or not.
catena_keep_headers(catena_headers LIBRARIES fmt::fmt Eigen3::Eigen HEADERS ${standard_headers} <Eigen/Dense>)
catena_keep_headers(catena_headers_json LIBRARIES fmt::fmt nlohmann_json::nlohmann_json
  HEADERS ${standard_headers} <nlohmann/json.hpp>)
catena_keep_headers(catena_headers_quick LIBRARIES fmt::fmt nlohmann_json::nlohmann_json
  HEADERS ${standard_headers} <nlohmann/json.hpp> OPTIONS -O1)
if(CATENA_LEVEL AND CATENA_PORTABLE)
  catena_keep_headers(catena_headers_small SMALL LIBRARIES fmt::fmt nlohmann_json::nlohmann_json
    HEADERS ${standard_headers} <nlohmann/json.hpp>)
endif()
if(CATENA_TESTS)
  find_package(GTest REQUIRED)
  catena_keep_headers(catena_headers_tests LIBRARIES fmt::fmt Eigen3::Eigen nlohmann_json::nlohmann_json GTest::gtest
    HEADERS ${standard_headers} <Eigen/Dense> <nlohmann/json.hpp> <gtest/gtest.h>)
endif()
