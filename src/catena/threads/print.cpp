// The text of a kernel.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "catena/threads/program.h"

namespace catena {
namespace {

// What of a series has to be kept: a coefficient that is a number times another one, as those of velocities
// are, is computed where it is needed.
struct KeptSeries {
  RecordedFunction function;  // with those that are kept as outputs
  std::string access;         // the text of `coefficient`
};

KeptSeries kept_series(const RecordedFunction& series, std::size_t states) {
  KeptSeries out{series, ""};
  std::unordered_map<Operand, std::size_t> slots;
  const auto is_derived = [&](Operand operand) {
    if (operand < 0) return false;
    const RecordedNode& node = series.nodes[static_cast<std::size_t>(operand)];
    const auto is_output = [&](Operand one) {
      return one >= 0 && std::find(series.outputs.begin() + static_cast<std::ptrdiff_t>(states),
                                   series.outputs.end(), one) != series.outputs.end();
    };
    return node.op == RecordedOp::multiply && node.a < 0 && is_output(node.b);
  };
  out.function.outputs.clear();
  for (std::size_t i = states; i < series.outputs.size(); ++i) {
    const Operand operand = series.outputs[i];
    if (is_derived(operand) || slots.contains(operand)) continue;
    slots[operand] = out.function.outputs.size();
    out.function.outputs.push_back(operand);
  }
  out.access =
      "  static CATENA_INLINE double coefficient(const double* c, int k, int i) {\n    switch (k * kStates + "
      "i) {\n";
  for (std::size_t i = states; i < series.outputs.size(); ++i) {
    const Operand operand = series.outputs[i];
    const auto slot = slots.find(operand);
    if (slot != slots.end()) {
      out.access += fmt::format("      case {}: return c[{}];\n", i, slot->second);
      continue;
    }
    const RecordedNode& node = series.nodes[static_cast<std::size_t>(operand)];
    // Chains of such are followed by the other's own case.
    const auto other = std::find(series.outputs.begin() + static_cast<std::ptrdiff_t>(states),
                                 series.outputs.end(), node.b) -
                       series.outputs.begin();
    const double factor = series.constants[static_cast<std::size_t>(~node.a)];
    const auto kept = slots.find(node.b);
    out.access +=
        kept != slots.end()
            ? fmt::format("      case {}: return {:a} * c[{}];\n", i, factor, kept->second)
            : fmt::format("      case {}: return {:a} * coefficient(c, {}, {});\n", i, factor,
                          static_cast<std::size_t>(other) / states, static_cast<std::size_t>(other) % states);
  }
  out.access += "      default: return 0.0;\n    }\n  }\n";
  out.function.drop_unused();
  return out;
}

}  // namespace

std::string ThreadProgram::source() const {
  const KeptSeries kept = kept_series(series, states);
  const auto some = [](std::size_t count) { return std::max<std::size_t>(1, count); };
  std::string out = "#include \"catena/threads/frame.h\"\n\nnamespace catena {\nnamespace threads {\n\n";
  out += "struct Program {\n";
  const auto number = [&](const char* name, std::size_t value) {
    out += fmt::format("  static constexpr int {} = {};\n", name, value);
  };
  number("kStates", states);
  number("kControlled", controlled);
  number("kOrder", static_cast<std::size_t>(rule.order));
  number("kAngles", angles.size());
  number("kMostStates", states);
  number("kMostCoefficients", some(kept.function.outputs.size()));
  number("kMostInputs", 1 + states + angles.size());
  number("kMostAngles", some(angles.size()));
  number("kMostEvents", some(events));
  number("kMostColumns", some(columns));
  number("kMostKept", some(static_cast<std::size_t>(task.measures)));
  number("kNumbers", numbers);
  number("kNearStates", near_states.size());
  number("kMostNear", some(near_of.inputs));
  const auto truth = [&](const char* name, bool value) {
    out += fmt::format("  static constexpr bool {} = {};\n", name, value);
  };
  truth("kProjects", projects);
  truth("kReadsTime", reads_time);
  const auto question = [&](const char* type, const char* name, const std::string& value) {
    out += fmt::format("  static constexpr {} {}() {{ return {}; }}\n", type, name, value);
  };
  question("int", "states", std::to_string(states));
  question("int", "controlled", std::to_string(controlled));
  question("int", "order", std::to_string(rule.order));
  question("int", "angles", std::to_string(angles.size()));
  question("int", "events", std::to_string(events));
  question("int", "measures", std::to_string(task.measures));
  question("bool", "looks_along", looks_along ? "true" : "false");
  question("bool", "looks_at_times", looks_at_times ? "true" : "false");
  out += "  static CATENA_INLINE constexpr Kind kind(const Task&, int i) {\n    switch (i) {\n";
  for (int i = 0; i < task.measures; ++i)
    out += fmt::format("      case {}: return static_cast<Kind>({});\n", i,
                       static_cast<int>(task.measure[i].kind));
  out += "      default: return Kind::steps;\n    }\n  }\n";
  out += "  static CATENA_INLINE constexpr int near_state(int j) {\n    switch (j) {\n";
  for (std::size_t j = 0; j < near_states.size(); ++j)
    out += fmt::format("      case {}: return {};\n", j, near_states[j]);
  out += "      default: return 0;\n    }\n  }\n";
  out += kept.access;
  if (numbers > 0) {  // of the case at hand
    out += fmt::format("  double given[{}];\n", some(given()));
    out += printed(given_of, "given_of");
    out +=
        "  CATENA_RARE bool take(const double* numbers) {\n    double of_case[kNumbers];\n"
        "    CATENA_LOOP\n    for (int i = 0; i < kNumbers; ++i) of_case[i] = numbers[i];\n"
        "    return given_of(of_case, given);\n  }\n";
  }
  for (const auto& [name, function] :
       {std::pair{"series", &kept.function}, std::pair{"rhs", &rhs}, std::pair{"project", &project},
        std::pair{"angles_of", &angles_of}, std::pair{"events_of", &events_of},
        std::pair{"columns_of", &columns_of}, std::pair{"near_of", &near_of}})
    out += printed(*function, name, function->inputs > 0 ? given() : 0);
  out += "};\n\n}  // namespace threads\n}  // namespace catena\n\n";
  out +=
      "#if defined(__CUDACC_RTC__)\n"
      "#if !defined(CATENA_BLOCK)\n"
      "#define CATENA_BLOCK 128\n"
      "#endif\n"
      "#if !defined(CATENA_BLOCKS)\n"
      "#define CATENA_BLOCKS 2\n"
      "#endif\n"
      "extern \"C\" __global__ void __launch_bounds__(CATENA_BLOCK, CATENA_BLOCKS)\n"
      "    catena_sweep(const catena::threads::Task task, const catena::threads::Cases cases) {\n"
      "  catena::threads::work<catena::threads::Program>(task, cases);\n"
      "}\n"
      "#else\n"
      "extern \"C\" void catena_sweep(const catena::threads::Task* task, const catena::threads::Cases* "
      "cases) {\n"
      "  catena::threads::work<catena::threads::Program>(*task, *cases);\n"
      "}\n"
      "#endif\n";
  return out;
}

}  // namespace catena
