// Operations that were written down instead of done: a function of some numbers as a list of sums, products,
// divisions, roots, choices and elementary functions, each rounded once. Whoever does them in this order gets
// the bits of the source that was recorded: the interpreter below, or a compiler of the printed text.
//
// A source may look at a number and go another way. The recording has one way, that of the numbers it was
// made with, and guards: comparisons that came out so. Where one comes out otherwise, the recording does not
// hold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace catena {

enum class RecordedOp : std::uint8_t {
  input,
  add,
  subtract,
  multiply,
  divide,
  negate,
  fused,  // a b + c
  root,
  size,  // |a|
  less,
  less_equal,
  equal,
  both,
  either,
  opposite,
  choose,  // a: b or c
  band,    // of a number, for decisions: on which side of zero it is, and whether by more than 1e-10
  head,    // its first 24 bits
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  exp,
  exp2,
  log,
  log2,
  sinh,
  cosh,
  tanh,
  atan2,
  pow,
};

// What an operand is: the number of a node, or ~ the place of a constant.
using Operand = std::int32_t;

struct RecordedNode {
  RecordedOp op;
  Operand a = 0, b = 0, c = 0;
  bool operator==(const RecordedNode&) const = default;
};

struct RecordedGuard {
  Operand node;
  double expected;
};

// A function as it was recorded: nodes [0, inputs) are its inputs.
struct RecordedFunction {
  std::size_t inputs = 0;
  std::vector<RecordedNode> nodes;
  std::vector<double> constants;
  std::vector<RecordedGuard> guards;
  std::vector<Operand> outputs;

  // Only what outputs and guards need.
  void drop_unused();
};

// What an operation gives.
double recorded_value(RecordedOp op, double a, double b, double c);

// Does the operations, over doubles or over LanesOf<4>.
template <class S>
class InterpreterOf {
 public:
  // The last `given` inputs are not those of run(): they stay what they were set to.
  explicit InterpreterOf(const RecordedFunction& function, std::size_t given = 0);
  // False: a guard does not hold (in one of the lanes), and the outputs are of no use.
  bool run(const S* inputs, S* outputs);
  S* given() { return values_.data() + inputs_; }
  std::size_t inputs() const { return inputs_; }

 private:
  std::size_t place(Operand operand) const {
    return operand >= 0 ? static_cast<std::size_t>(operand)
                        : nodes_.size() + static_cast<std::size_t>(~operand);
  }
  struct Step {
    RecordedOp op;
    std::uint32_t a, b, c;
  };
  std::size_t inputs_, computed_ = 0;  // of run(); all of them
  std::vector<Step> nodes_;
  std::vector<RecordedGuard> guards_;
  std::vector<std::uint32_t> outputs_;
  std::vector<S> values_;  // of nodes, then constants
};
using RecordedInterpreter = InterpreterOf<double>;

// The text of a function `bool name(const double* in, double* out)` that does the same, for
// catena/threads/frame.h; false: as above. Its last `given` inputs are in a member `given`.
std::string printed(const RecordedFunction& function, const std::string& name, std::size_t given = 0);

// Of functions whose last `numbers` inputs are the same ones, and stay while the others change: what follows
// from those alone, as one function of them, `given`. It is the last inputs of the others then.
RecordedFunction with_given(const std::vector<RecordedFunction*>& functions, std::size_t numbers);

// What is being recorded, one at a time and thread.
class Recorder {
 public:
  Recorder();
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  // The one at work; without one, what is to be recorded has to be constant.
  static Recorder* active();

  Operand input();
  // Inputs, for the numbers that the scene is made of: from now on each that a source asks for (`number`) is
  // the next of them.
  void take_numbers(const std::vector<double>& numbers);
  bool takes_numbers() const { return is_asked_; }
  Operand number(double value);
  Operand constant(double value);
  Operand node(RecordedOp op, Operand a, Operand b = 0, Operand c = 0);
  void guard(Operand node, double expected);
  void output(Operand operand) { function_.outputs.push_back(operand); }
  // Something that cannot be written down; the first word stays.
  void refuse(const std::string& why);
  const std::string& refusal() const { return refusal_; }

  RecordedFunction take();

 private:
  struct Hash {
    std::size_t operator()(const RecordedNode& node) const;
  };
  RecordedFunction function_;
  std::unordered_map<RecordedNode, Operand, Hash> known_;
  std::unordered_map<std::uint64_t, Operand> known_constants_;
  std::string refusal_;
  std::vector<double> numbers_;  // what they are like
  std::size_t first_number_ = 0, next_number_ = 0;
  bool is_asked_ = false;
  Recorder* before_;
};

}  // namespace catena
