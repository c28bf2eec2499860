#include "catena/base/version.h"

#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <optional>

namespace catena {
namespace {

constexpr std::string_view kVersion = CATENA_VERSION, kBuildType = CATENA_BUILD_TYPE, kTarget = CATENA_TARGET;

std::string compiler() {
#if defined(__clang__)
  return fmt::format("Clang {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#elif defined(__GNUC__)
  return fmt::format("GCC {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#else
  return "an unknown compiler";
#endif
}

constexpr std::string_view kKernels =
#if defined(__AVX2__) && defined(__FMA__)
    "AVX2 and FMA";
#elif defined(__AVX__)
    "AVX";
#elif defined(__SSE2__)
    "SSE";
#elif defined(__ARM_NEON)
    "NEON";
#elif defined(__wasm_simd128__)
    "SIMD of 128 bits";
#else
    "no vectors";
#endif

// Its first two numbers.
std::optional<std::array<long, 2>> generation(std::string_view version) {
  const std::string text(version);
  char* end = nullptr;
  const long first = std::strtol(text.c_str(), &end, 10);
  if (end == text.c_str() || *end != '.') return std::nullopt;
  const char* rest = end + 1;
  const long second = std::strtol(rest, &end, 10);
  if (end == rest || (*end != '.' && *end != '\0')) return std::nullopt;
  return std::array{first, second};
}

}  // namespace

std::string_view this_version() { return kVersion; }

std::string build_facts() {
  return fmt::format("{} build by {} for {} ({})", kBuildType, compiler(), kTarget, kKernels);
}

bool is_later_version(std::string_view version) {
  const auto theirs = generation(version), ours = generation(kVersion);
  return theirs && ours && *theirs > *ours;
}

std::string too_late(std::string_view version) {
  return fmt::format(
      "a later version of catena wrote it: {}, and this is {}; get the later one, or let it convert the file",
      version, kVersion);
}

}  // namespace catena
