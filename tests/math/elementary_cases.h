// Arguments that elementary functions are tried with, the same on every machine. To be compiled without
// contraction.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

namespace catena::elementary_cases {

// G. Steele, D. Lea, S. Flood, splitmix64.
struct Draws {
  std::uint64_t state = 1;
  std::uint64_t word() {
    std::uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  double between(double low, double high) {
    return low + (high - low) * (static_cast<double>(word() >> 11) * 0x1p-53);
  }
  // Of any size and sign, infinities and no numbers among them.
  double bits() {
    const std::uint64_t w = word();
    double out;
    std::memcpy(&out, &w, sizeof out);
    return out;
  }
  double sign() { return word() % 2 == 0 ? 1.0 : -1.0; }
  // 2^low to 2^high
  double size(int low, int high) {
    const auto range = static_cast<std::uint64_t>(high - low);
    return std::ldexp(between(1.0, 2.0), low + static_cast<int>(word() % range));
  }
};

// Evenly over low .. high, over all bits, over sizes from 2^-30 to 2^10, and close to 1 and -1.
inline std::vector<double> arguments(double low, double high, int count) {
  Draws draws;
  std::vector<double> out;
  for (int i = 0; i < count; ++i) {
    switch (i % 5) {
      case 0:
        out.push_back(low + (high - low) * i / count);
        break;
      case 1:
        out.push_back(draws.between(low, high));
        break;
      case 2:
        out.push_back(draws.bits());
        break;
      case 3:
        out.push_back(draws.sign() * draws.size(-30, 10));
        break;
      default:
        out.push_back(draws.sign() + draws.sign() * draws.size(-54, -1));
    }
  }
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double special : {0.0, 5e-324, 2.2250738585072014e-308, 1e-310, 0.5, 1.0, 2.0, 709.782712893384,
                               710.4758600739439, 745.1332191019412, 1023.9999999999999, 1074.9,
                               1.7976931348623157e308, infinity, std::numeric_limits<double>::quiet_NaN()}) {
    out.push_back(special);
    out.push_back(-special);
  }
  // Multiples of pi/2 and pi/4, and the doubles beside them; among all doubles, 6381956970095103 2^797 is
  // closest to a multiple of pi/2.
  for (int k = 1; k <= 400; ++k) {
    const double near = 0.7853981633974483 * k * k * k;
    for (const double x : {near, std::nextafter(near, 0.0), std::nextafter(near, infinity)}) out.push_back(x);
  }
  out.push_back(std::ldexp(6381956970095103.0, 797));
  for (int e = 20; e < 1024; e += 3) out.push_back(draws.sign() * draws.size(e, e + 1));
  return out;
}

inline std::vector<std::pair<double, double>> argument_pairs(int count) {
  Draws draws;
  std::vector<std::pair<double, double>> out;
  for (int i = 0; i < count; ++i) {
    switch (i % 6) {
      case 0:
        out.emplace_back(draws.between(0.0, 10.0), draws.between(-20.0, 20.0));
        break;
      case 1:
        out.emplace_back(draws.bits(), draws.bits());
        break;
      case 2: {
        const double x = draws.size(-100, 100);
        out.emplace_back(x, draws.between(-1060.0, 1020.0) / (std::ilogb(x) + 0.51));
        break;
      }
      case 3:
        out.emplace_back(1.0 + draws.sign() * draws.size(-50, -1), draws.sign() * draws.size(-10, 60));
        break;
      case 4:
        out.emplace_back(draws.sign() * draws.size(-1070, 1023), draws.sign() * draws.size(-1070, 1023));
        break;
      default:
        out.emplace_back(-draws.between(0.0, 5.0), std::floor(draws.between(-40.0, 40.0)));
    }
  }
  const double infinity = std::numeric_limits<double>::infinity(),
               none = std::numeric_limits<double>::quiet_NaN();
  const double specials[] = {
      0.0, 1.0, 0.5, 2.0, 3.0, 1e300, 5e-324, 9007199254740991.0, 4503599627370497.0, infinity, none};
  for (const double x : specials) {
    for (const double y : specials) {
      for (const double sx : {1.0, -1.0}) {
        for (const double sy : {1.0, -1.0}) out.emplace_back(sx * x, sy * y);
      }
    }
  }
  return out;
}

}  // namespace catena::elementary_cases
