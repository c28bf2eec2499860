// A [[forces]] table of a scene.
#pragma once

#include <numbers>
#include <string>

namespace catena::test {

inline constexpr double kPi = std::numbers::pi;

inline std::string law(const std::string& kind, const std::string& fields) {
  return "[[forces]]\nkind = \"" + kind + "\"\n" + fields + "\n";
}

}  // namespace catena::test
