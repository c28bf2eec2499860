#include "catena/math/recording.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "catena/math/band.h"
#include "catena/math/elementary.h"
#include "catena/math/lanes.h"
#include "catena/math/registers.h"

namespace catena {
namespace {

thread_local Recorder* the_active = nullptr;

int operands_of(RecordedOp op) {
  switch (op) {
    case RecordedOp::input:
      return 0;
    case RecordedOp::fused:
    case RecordedOp::choose:
      return 3;
    case RecordedOp::add:
    case RecordedOp::subtract:
    case RecordedOp::multiply:
    case RecordedOp::divide:
    case RecordedOp::less:
    case RecordedOp::less_equal:
    case RecordedOp::equal:
    case RecordedOp::both:
    case RecordedOp::either:
    case RecordedOp::atan2:
    case RecordedOp::pow:
      return 2;
    default:
      return 1;
  }
}

const char* name_of_function(RecordedOp op) {
  switch (op) {
#define CATENA_NAME(name) \
  case RecordedOp::name:  \
    return #name;
    CATENA_ELEMENTARY(CATENA_NAME)
#undef CATENA_NAME
    case RecordedOp::atan2:
      return "atan2";
    case RecordedOp::pow:
      return "pow";
    default:
      return nullptr;
  }
}

}  // namespace

double recorded_value(RecordedOp op, double a, double b, double c) {
  switch (op) {
    case RecordedOp::input:
      return a;
    case RecordedOp::add:
      return a + b;
    case RecordedOp::subtract:
      return a - b;
    case RecordedOp::multiply:
      return a * b;
    case RecordedOp::divide:
      return a / b;
    case RecordedOp::negate:
      return -a;
    case RecordedOp::fused:
      return fused(a, b, c);
    case RecordedOp::root:
      return root_of(a);
    case RecordedOp::size:
      return size_of_number(a);
    case RecordedOp::less:
      return a < b ? 1.0 : 0.0;
    case RecordedOp::less_equal:
      return a <= b ? 1.0 : 0.0;
    case RecordedOp::equal:
      return a == b ? 1.0 : 0.0;
    case RecordedOp::both:
      return a != 0.0 && b != 0.0 ? 1.0 : 0.0;
    case RecordedOp::either:
      return a != 0.0 || b != 0.0 ? 1.0 : 0.0;
    case RecordedOp::opposite:
      return a != 0.0 ? 0.0 : 1.0;
    case RecordedOp::choose:
      return a != 0.0 ? b : c;
    case RecordedOp::band:
      return band_of(a);
    case RecordedOp::head:
      return head_of(a);
#define CATENA_VALUE(name) \
  case RecordedOp::name:   \
    return elementary::name(a);
      CATENA_ELEMENTARY(CATENA_VALUE)
#undef CATENA_VALUE
    case RecordedOp::atan2:
      return elementary::atan2(a, b);
    case RecordedOp::pow:
      return elementary::pow(a, b);
  }
  return a;
}

void RecordedFunction::drop_unused() {
  std::vector<char> used(nodes.size(), 0);
  const auto use = [&](Operand operand) {
    if (operand >= 0) used[static_cast<std::size_t>(operand)] = 1;
  };
  for (const Operand operand : outputs) use(operand);
  for (const RecordedGuard& guard : guards) use(guard.node);
  for (std::size_t i = nodes.size(); i-- > 0;) {
    if (!used[i]) continue;
    const int count = operands_of(nodes[i].op);
    if (count > 0) use(nodes[i].a);
    if (count > 1) use(nodes[i].b);
    if (count > 2) use(nodes[i].c);
  }
  std::vector<Operand> place(nodes.size(), 0);
  std::size_t kept = 0;
  const auto moved = [&](Operand operand) {
    return operand >= 0 ? place[static_cast<std::size_t>(operand)] : operand;
  };
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (i >= inputs && !used[i]) continue;
    RecordedNode node = nodes[i];
    const int count = operands_of(node.op);
    if (count > 0) node.a = moved(node.a);
    if (count > 1) node.b = moved(node.b);
    if (count > 2) node.c = moved(node.c);
    place[i] = static_cast<Operand>(kept);
    nodes[kept++] = node;
  }
  nodes.resize(kept);
  for (Operand& operand : outputs) operand = moved(operand);
  for (RecordedGuard& guard : guards) guard.node = moved(guard.node);
}

namespace {

double value_of(RecordedOp op, double a, double b, double c) { return recorded_value(op, a, b, c); }
bool is(double value, double expected) { return value == expected; }

using FourLanes = LanesOf<4>;
FourLanes one_by_one(RecordedOp op, const FourLanes& a, const FourLanes& b, const FourLanes& c) {
  FourLanes out;
  for (int l = 0; l < 4; ++l) out.set_lane(l, recorded_value(op, a.lane(l), b.lane(l), c.lane(l)));
  return out;
}
FourLanes value_of(RecordedOp op, const FourLanes& a, const FourLanes& b, const FourLanes& c) {
  const FourLanes one(1.0), zero(0.0);
  switch (op) {
    case RecordedOp::add:
      return a + b;
    case RecordedOp::subtract:
      return a - b;
    case RecordedOp::multiply:
      return a * b;
    case RecordedOp::divide:
      return a / b;
    case RecordedOp::negate:
      return -a;
    case RecordedOp::fused:
      return fused(a, b, c);
    case RecordedOp::root:
      return square_root(a);
    case RecordedOp::size:
      return size_of(a);
    case RecordedOp::less:
      return choose(a < b, one, zero);
    case RecordedOp::less_equal:
      return choose(a <= b, one, zero);
    case RecordedOp::choose:  // decisions are 1 or 0
      return choose(a > zero, b, c);
#define CATENA_VALUE(name) \
  case RecordedOp::name:   \
    return name##_of(a);
      CATENA_ELEMENTARY(CATENA_VALUE)
#undef CATENA_VALUE
    case RecordedOp::atan2:
      return atan2_of(a, b);
    case RecordedOp::pow:
      return pow_of(a, b);
    default:
      return one_by_one(op, a, b, c);
  }
}
bool is(const FourLanes& value, double expected) { return value == FourLanes(expected); }

}  // namespace

template <class S>
InterpreterOf<S>::InterpreterOf(const RecordedFunction& function, std::size_t given)
    : inputs_(function.inputs - given), nodes_(function.nodes.size()), guards_(function.guards) {
  const auto at = [&](Operand operand) { return static_cast<std::uint32_t>(place(operand)); };
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const RecordedNode& node = function.nodes[i];
    const int count = operands_of(node.op);
    nodes_[i] = {node.op, count > 0 ? at(node.a) : 0, count > 1 ? at(node.b) : 0, count > 2 ? at(node.c) : 0};
  }
  for (const Operand operand : function.outputs) outputs_.push_back(at(operand));
  computed_ = function.inputs;
  values_.resize(nodes_.size() + function.constants.size());
  for (std::size_t k = 0; k < function.constants.size(); ++k)
    values_[nodes_.size() + k] = function.constants[k];
}

template <class S>
bool InterpreterOf<S>::run(const S* inputs, S* outputs) {
  for (std::size_t i = 0; i < inputs_; ++i) values_[i] = inputs[i];
  for (std::size_t i = computed_; i < nodes_.size(); ++i) {
    const Step& step = nodes_[i];
    values_[i] = value_of(step.op, values_[step.a], values_[step.b], values_[step.c]);
  }
  for (std::size_t o = 0; o < outputs_.size(); ++o) outputs[o] = values_[outputs_[o]];
  for (const RecordedGuard& guard : guards_) {
    if (!is(values_[place(guard.node)], guard.expected)) return false;
  }
  return true;
}

template class InterpreterOf<double>;
template class InterpreterOf<LanesOf<4>>;

RecordedFunction with_given(const std::vector<RecordedFunction*>& functions, std::size_t numbers) {
  Recorder recorder;
  std::vector<Operand> inputs;
  for (std::size_t k = 0; k < numbers; ++k) inputs.push_back(recorder.input());
  std::unordered_map<Operand, std::size_t> slots;  // of what is handed over
  std::vector<std::vector<Operand>> of;            // of each function's nodes, in the recorder; kNotGiven
  constexpr Operand kNotGiven = std::numeric_limits<Operand>::min();
  const auto slot = [&](Operand at) {
    const auto [found, is_new] = slots.try_emplace(at, slots.size());
    if (is_new) recorder.output(at);
    return found->second;
  };
  // What is given, and what of it others use.
  for (const RecordedFunction* function : functions) {
    const std::size_t first = function->inputs - numbers;
    std::vector<Operand> at(function->nodes.size(), kNotGiven);
    const auto given = [&](Operand operand) {
      if (operand >= 0) return at[static_cast<std::size_t>(operand)];
      return recorder.constant(function->constants[static_cast<std::size_t>(~operand)]);
    };
    const auto hand_over = [&](Operand operand) {
      if (operand >= 0 && given(operand) != kNotGiven) slot(given(operand));
    };
    for (std::size_t k = 0; k < numbers; ++k) at[first + k] = inputs[k];
    for (std::size_t i = function->inputs; i < function->nodes.size(); ++i) {
      const RecordedNode& node = function->nodes[i];
      const int count = operands_of(node.op);
      const Operand operands[] = {node.a, node.b, node.c};
      bool is_given = true;
      for (int k = 0; k < count; ++k) is_given = is_given && given(operands[k]) != kNotGiven;
      if (is_given) {
        at[i] = recorder.node(node.op, given(node.a), count > 1 ? given(node.b) : 0,
                              count > 2 ? given(node.c) : 0);
      } else {
        for (int k = 0; k < count; ++k) hand_over(operands[k]);
      }
    }
    for (const Operand output : function->outputs) hand_over(output);
    for (const RecordedGuard& guard : function->guards) {
      if (given(guard.node) != kNotGiven) recorder.guard(given(guard.node), guard.expected);
    }
    of.push_back(std::move(at));
  }
  for (std::size_t f = 0; f < functions.size(); ++f) {
    const RecordedFunction from = std::move(*functions[f]);
    const std::size_t first = from.inputs - numbers;
    RecordedFunction& to = *functions[f];
    to = {};
    to.inputs = first + slots.size();
    to.constants = from.constants;
    to.nodes.assign(from.nodes.begin(), from.nodes.begin() + static_cast<std::ptrdiff_t>(first));
    to.nodes.resize(to.inputs, {RecordedOp::input});
    std::vector<Operand> place(from.nodes.size());
    const auto moved = [&](Operand operand) {
      return operand >= 0 ? place[static_cast<std::size_t>(operand)] : operand;
    };
    for (std::size_t i = 0; i < from.nodes.size(); ++i) {
      if (const Operand given = of[f][i]; given != kNotGiven) {
        const auto found = slots.find(given);  // none: nobody uses it but what is given, too
        place[i] = found == slots.end() ? 0 : static_cast<Operand>(first + found->second);
      } else if (i < first) {
        place[i] = static_cast<Operand>(i);
      } else {
        RecordedNode node = from.nodes[i];
        const int count = operands_of(node.op);
        if (count > 0) node.a = moved(node.a);
        if (count > 1) node.b = moved(node.b);
        if (count > 2) node.c = moved(node.c);
        place[i] = static_cast<Operand>(to.nodes.size());
        to.nodes.push_back(node);
      }
    }
    for (const Operand output : from.outputs) to.outputs.push_back(moved(output));
    for (const RecordedGuard& guard : from.guards) {
      if (of[f][static_cast<std::size_t>(guard.node)] == kNotGiven)
        to.guards.push_back({moved(guard.node), guard.expected});
    }
  }
  return recorder.take();
}

std::string printed(const RecordedFunction& function, const std::string& name, std::size_t given) {
  const auto text = [&](Operand operand) {
    if (operand >= 0) return fmt::format("v{}", operand);
    const double value = function.constants[static_cast<std::size_t>(~operand)];
    if (std::isnan(value)) return std::string("kNoNumber");
    if (std::isinf(value)) return std::string(value > 0.0 ? "kInfinite" : "(-kInfinite)");
    return std::signbit(value) ? fmt::format("({:a})", value) : fmt::format("{:a}", value);
  };
  const std::size_t own = function.inputs - given;
  std::string out = fmt::format("{}CATENA_INLINE bool {}(const double* in, double* out){} {{\n",
                                given == 0 ? "static " : "", name, given == 0 ? "" : " const");
  for (std::size_t i = 0; i < function.nodes.size(); ++i) {
    const RecordedNode& node = function.nodes[i];
    const int count = operands_of(node.op);
    const std::string a = count > 0 ? text(node.a) : "", b = count > 1 ? text(node.b) : "",
                      c = count > 2 ? text(node.c) : "";
    std::string value;
    switch (node.op) {
      case RecordedOp::input:
        value = i < own ? fmt::format("in[{}]", i) : fmt::format("given[{}]", i - own);
        break;
      case RecordedOp::add:
        value = a + " + " + b;
        break;
      case RecordedOp::subtract:
        value = a + " - " + b;
        break;
      case RecordedOp::multiply:
        value = a + " * " + b;
        break;
      case RecordedOp::divide:
        value = a + " / " + b;
        break;
      case RecordedOp::negate:
        value = "-" + a;
        break;
      case RecordedOp::fused:
        value = fmt::format("fused({}, {}, {})", a, b, c);
        break;
      case RecordedOp::root:
        value = fmt::format("root_of({})", a);
        break;
      case RecordedOp::size:
        value = fmt::format("size_of_number({})", a);
        break;
      case RecordedOp::less:
        value = fmt::format("{} < {} ? 1.0 : 0.0", a, b);
        break;
      case RecordedOp::less_equal:
        value = fmt::format("{} <= {} ? 1.0 : 0.0", a, b);
        break;
      case RecordedOp::equal:
        value = fmt::format("{} == {} ? 1.0 : 0.0", a, b);
        break;
      case RecordedOp::both:
        value = fmt::format("{} != 0.0 && {} != 0.0 ? 1.0 : 0.0", a, b);
        break;
      case RecordedOp::either:
        value = fmt::format("{} != 0.0 || {} != 0.0 ? 1.0 : 0.0", a, b);
        break;
      case RecordedOp::opposite:
        value = fmt::format("{} != 0.0 ? 0.0 : 1.0", a);
        break;
      case RecordedOp::choose:
        value = fmt::format("{} != 0.0 ? {} : {}", a, b, c);
        break;
      case RecordedOp::band:
        value = fmt::format("band_of({})", a);
        break;
      case RecordedOp::head:
        value = fmt::format("head_of({})", a);
        break;
      case RecordedOp::atan2:
      case RecordedOp::pow:
        value = fmt::format("elementary_kernels::{}<double>({}, {})", name_of_function(node.op), a, b);
        break;
      default:
        value = fmt::format("elementary_kernels::{}<double>({})", name_of_function(node.op), a);
        break;
    }
    out += fmt::format("  const double v{} = {};\n", i, value);
  }
  for (std::size_t o = 0; o < function.outputs.size(); ++o)
    out += fmt::format("  out[{}] = {};\n", o, text(function.outputs[o]));
  out += "  bool holds = true;\n";
  for (const RecordedGuard& guard : function.guards)
    out += fmt::format("  holds = holds && {} == {:.1f};\n", text(guard.node), guard.expected);
  return out + "  return holds;\n}\n";
}

Recorder::Recorder() : before_(the_active) { the_active = this; }
Recorder::~Recorder() { the_active = before_; }
Recorder* Recorder::active() { return the_active; }

std::size_t Recorder::Hash::operator()(const RecordedNode& node) const {
  std::size_t out = static_cast<std::size_t>(node.op);
  for (const Operand operand : {node.a, node.b, node.c})
    out = static_cast<std::size_t>((out ^ static_cast<std::uint32_t>(operand)) * 0x9e3779b97f4a7c15u);
  return out ^ (out >> 29);
}

Operand Recorder::input() {
  if (function_.inputs != function_.nodes.size()) throw std::logic_error("inputs come first");
  function_.nodes.push_back({RecordedOp::input});
  return static_cast<Operand>(function_.inputs++);
}

void Recorder::take_numbers(const std::vector<double>& numbers) {
  numbers_ = numbers;
  first_number_ = function_.inputs;
  next_number_ = 0;
  is_asked_ = true;
  for (std::size_t k = 0; k < numbers.size(); ++k) input();
}

Operand Recorder::number(double value) {
  if (next_number_ == numbers_.size() || std::memcmp(&numbers_[next_number_], &value, sizeof value) != 0)
    throw std::logic_error("a world asks for other numbers than it has");
  return static_cast<Operand>(first_number_ + next_number_++);
}

Operand Recorder::constant(double value) {
  std::uint64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  const auto [at, is_new] =
      known_constants_.try_emplace(bits, ~static_cast<Operand>(function_.constants.size()));
  if (is_new) function_.constants.push_back(value);
  return at->second;
}

Operand Recorder::node(RecordedOp op, Operand a, Operand b, Operand c) {
  const RecordedNode made{op, a, b, c};
  const auto [at, is_new] = known_.try_emplace(made, static_cast<Operand>(function_.nodes.size()));
  if (is_new) function_.nodes.push_back(made);
  return at->second;
}

void Recorder::guard(Operand node, double expected) {
  for (const RecordedGuard& known : function_.guards) {
    if (known.node == node) return;
  }
  function_.guards.push_back({node, expected});
}

void Recorder::refuse(const std::string& why) {
  if (refusal_.empty()) refusal_ = why;
}

RecordedFunction Recorder::take() {
  function_.drop_unused();
  return std::move(function_);
}

}  // namespace catena
