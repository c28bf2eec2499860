#include "catena/math/decimal.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include "catena/base/words.h"

namespace catena {
namespace {

constexpr DoubleDouble kPi{3.141592653589793116, 1.224646799147353207e-16};

// 10^exponent; exact up to 10^45.
DoubleDouble power_of_ten(int exponent) {
  DoubleDouble out(1.0), square(10.0);
  for (; exponent > 0; exponent /= 2) {
    if (exponent % 2 == 1) out = out * square;
    square = square * square;
  }
  return out;
}

// Digits of a text like "-1.25e-07", as a whole number and the power of ten that belongs to it.
DoubleDouble from_digits(const std::string& text) {
  std::uint64_t digits = 0;
  int exponent = 0;
  bool behind = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == 'e') {
      exponent += std::atoi(text.c_str() + i + 1);
      break;
    }
    if (c == '.') behind = true;
    if (c < '0' || c > '9') continue;
    if (digits >= 100'000'000'000'000'000u) {  // 17 digits are all that count; zeros may follow
      exponent += behind ? 0 : 1;
      continue;
    }
    digits = 10 * digits + static_cast<std::uint64_t>(c - '0');
    exponent -= behind ? 1 : 0;
  }
  const auto high = static_cast<double>(digits);
  const auto rest = static_cast<std::int64_t>(digits - static_cast<std::uint64_t>(high));
  const DoubleDouble whole = two_sum(high, static_cast<double>(rest));
  const DoubleDouble out = exponent < 0 ? whole / power_of_ten(-exponent) : whole * power_of_ten(exponent);
  return text[0] == '-' ? -out : out;
}

DoubleDouble computed(double value) {
  constexpr double kPiDouble = 3.141592653589793116;
  if (std::fabs(value) == kPiDouble) return value < 0.0 ? -kPi : kPi;
  // Beyond these the power of ten is none of two doubles.
  if (!(std::fabs(value) > 1e-270 && std::fabs(value) < 1e270)) return value;
  const DoubleDouble meant = from_digits(number_text(value));
  return fast_two_sum(meant.hi, meant.lo);
}

}  // namespace

DoubleDouble decimal(double value) {
  // Few binary digits: it is that decimal itself.
  if (std::fabs(value) < 1024.0 && value * 1024.0 == std::floor(value * 1024.0)) return value;
  struct Known {
    double value = 0.0;
    DoubleDouble meant;
  };
  // A run asks for the same few numbers over and over.
  thread_local std::array<Known, 256> known;
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  Known& slot = known[(bits * 0x9E3779B97F4A7C15u) >> 56];
  if (slot.value != value) slot = {value, computed(value)};
  return slot.meant;
}

}  // namespace catena
