#include "catena/expr/parse.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>

#include "catena/base/words.h"
#include "catena/expr/table.h"

namespace catena::expr {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr std::size_t kMostMistakes = 20;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_operator(char c) { return c == '+' || c == '-' || c == '*' || c == '/' || c == '^'; }

// The character at the start of the text with all of its bytes, if they are proper UTF-8; else one byte.
std::string_view first_character(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t size = lead < 0x80 ? 1 : lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc2 ? 2 : 0;
  if (size == 0 || size > text.size() || lead > 0xf4) return text.substr(0, 1);
  for (std::size_t i = 1; i < size; ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xc0) != 0x80) return text.substr(0, 1);
  }
  return text.substr(0, size);
}

std::string stray_character(std::string_view rest) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 13> kRemedies{{
      {"π", "pi"},
      {"·", "*"},
      {"×", "*"},
      {"−", "-"},
      {"–", "-"},
      {"÷", "/"},
      {"²", "^2"},
      {"³", "^3"},
      {"√", "sqrt(..)"},
      {"[", "("},
      {"]", ")"},
      {"{", "("},
      {"}", ")"},
  }};
  const std::string_view character = first_character(rest);
  for (const auto& [found, remedy] : kRemedies) {
    if (character == found) return fmt::format("unexpected character '{}', write {}", character, remedy);
  }
  const auto byte = static_cast<unsigned char>(character[0]);
  if (character.size() == 1 && (byte < 0x20 || byte >= 0x7f))
    return fmt::format("unexpected byte 0x{:02x}, formulas are plain text", byte);
  if (character == "=") return "unexpected '=', a formula is one value without '='";
  if (character == "'") return "unexpected ''', it may only follow a name (a rate, as in x')";
  return fmt::format("unexpected character '{}'", character);
}

// What waits for its right side or its closing parenthesis.
struct Pending {
  enum Kind { binary, sign, group, call } kind;
  std::size_t offset;
  char symbol = 0;                     // binary
  const Function* function = nullptr;  // call; none for an unknown one
  std::size_t values = 0;              // group, call: how many operands were there before it
  bool of_table = false;               // call: of the rows read last but not used yet

  bool is_open() const { return kind == group || kind == call; }
  int binding() const {
    if (kind == sign) return 3;
    return symbol == '^' ? 4 : (symbol == '*' || symbol == '/' ? 2 : 1);
  }
};

// Two stacks instead of recursion: operands that are complete, and operators that wait for more.
class Parser {
 public:
  Parser(Graph& graph, std::string_view text, const Names& names)
      : graph_(graph), text_(text), names_(names) {
    for (std::size_t i = 0; i < names.variables.size(); ++i) variables_.emplace(names.variables[i], i);
    for (std::size_t i = 0; i < names.parameters.size(); ++i)
      parameters_.emplace(names.parameters[i].first, i);
  }

  Parsed parse() {
    Parsed parsed;
    try {
      run();
    } catch (const GraphTooLarge& error) {
      mistake(at_, error.what());
    }
    parsed.mistakes = std::move(mistakes_);
    // An unknown function is noted where it stands, a wrong count where the call ends.
    std::stable_sort(parsed.mistakes.begin(), parsed.mistakes.end(),
                     [](const auto& a, const auto& b) { return a.offset < b.offset; });
    if (parsed.mistakes.empty()) parsed.node = operands_.back();
    return parsed;
  }

 private:
  void mistake(std::size_t offset, std::string message) { mistakes_.push_back({offset, std::move(message)}); }
  // A mistake after which the rest makes no sense.
  bool stop(std::size_t offset, std::string message) {
    mistake(offset, std::move(message));
    return false;
  }

  void run() {
    if (text_.size() > kLongestFormula) {
      return mistake(0, fmt::format("the formula has {} characters, at most {} are allowed", text_.size(),
                                    kLongestFormula));
    }
    for (skip_blanks(); at_ < text_.size(); skip_blanks()) {
      const bool going_on = wants_operand_ ? read_operand() : read_operator();
      if (!going_on || mistakes_.size() >= kMostMistakes) return;
    }
    finish();
  }

  void skip_blanks() {
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
  }

  // ---- where an operand must stand ----

  bool read_operand() {
    const char c = text_[at_];
    const bool is_number = is_digit(c) || (c == '.' && at_ + 1 < text_.size() && is_digit(text_[at_ + 1]));
    if (is_number) return read_number();
    if (is_letter(c)) return read_name();
    if (c == '(') return open({.kind = Pending::group, .offset = at_}, 1);
    if (c == '-' || c == '+') {
      if (c == '-') waiting_.push_back({.kind = Pending::sign, .offset = at_, .symbol = '-'});
      last_ = at_++;
      return true;
    }
    return no_operand();
  }

  bool open(Pending pending, std::size_t characters) {
    pending.values = operands_.size();
    if (++depth_ > kDeepestNesting)
      return stop(at_, fmt::format("nested too deeply, at most {} levels are allowed", kDeepestNesting));
    waiting_.push_back(pending);
    at_ += characters;
    last_ = at_ - 1;
    return true;
  }

  bool read_number() {
    const std::string_view rest = text_.substr(at_);
    const std::optional<LeadingNumber> number = leading_number(rest);
    std::size_t end = 0;
    if (number) {
      end = rest.size() - number->rest.size();
    } else {
      while (end < rest.size() && (is_digit(rest[end]) || rest[end] == '.' || is_letter(rest[end]) ||
                                   (is_operator(rest[end]) && (rest[end - 1] | 0x20) == 'e')))
        ++end;
    }
    const std::string_view number_part = rest.substr(0, end);
    const std::string_view digits = number_part.substr(0, number_part.find_first_of("eE"));
    const bool vanished = number && number->value == 0.0 && digits.find_first_of("123456789") != digits.npos;
    if (!number || vanished) {
      mistake(at_, fmt::format("number {} is out of range, sizes from 1e-307 to 1e308 are allowed",
                               shortened(number_part)));
    }
    operand(number ? graph_.constant(number->value) : graph_.constant(1.0), end);
    return true;
  }

  static std::string shortened(std::string_view word) {
    constexpr std::size_t kLongest = 40;
    return word.size() <= kLongest ? std::string(word) : std::string(word.substr(0, kLongest)) + "..";
  }

  void operand(NodeId node, std::size_t characters) {
    operands_.push_back(node);
    wants_operand_ = false;
    at_ += characters;
  }

  bool read_name() {
    std::size_t end = at_;
    while (end < text_.size() && (is_letter(text_[end]) || is_digit(text_[end]))) ++end;
    while (end < text_.size() && text_[end] == '\'') ++end;
    const std::string name(text_.substr(at_, end - at_));
    std::size_t next = end;
    while (next < text_.size() && is_blank(text_[next])) ++next;
    if (next < text_.size() && text_[next] == '(') return read_call(name, next);
    const std::optional<NodeId> node = meaning(name);
    if (!node) unknown_name(name);
    operand(node.value_or(graph_.constant(1.0)), name.size());
    return true;
  }

  bool read_call(const std::string& name, std::size_t parenthesis) {
    if (name == table_function().name && !meaning(name)) return read_table(parenthesis);
    const Function* function = find_function(name);
    if (!function && meaning(name)) {
      mistake(at_, fmt::format("'{0}' is no function, write {0}*(..) to multiply", name));
    } else if (!function) {
      mistake(at_,
              fmt::format("unknown function '{}'{}", shortened(name), suggestion(name, function_names())));
    }
    return open({.kind = Pending::call, .offset = at_, .function = function}, parenthesis + 1 - at_);
  }

  // table("0 1; 1 2", x), up to behind the comma.
  bool read_table(std::size_t parenthesis) {
    const std::size_t start = at_;
    std::size_t next = parenthesis + 1;
    const auto skip = [&] {
      while (next < text_.size() && is_blank(text_[next])) ++next;
    };
    skip();
    const char quote = next < text_.size() ? text_[next] : 0;
    const std::size_t end = quote == '"' || quote == '\'' ? text_.find(quote, next + 1) : text_.npos;
    if (end == text_.npos)
      return stop(start,
                  fmt::format("'table' begins with a text in quotes: write {}", table_function().usage));
    TableRows rows = table_rows(text_.substr(next + 1, end - next - 1));
    if (!rows.mistake.empty()) {
      mistake(start, "table: " + rows.mistake);
      rows = {{0.0, 1.0}, {0.0, 1.0}, ""};
    }
    next = end + 1;
    skip();
    if (next >= text_.size() || text_[next] != ',')
      return stop(start, fmt::format("'table' takes a text and what it is looked up by: write {}",
                                     table_function().usage));
    tables_.push_back(std::move(rows));
    return open({.kind = Pending::call, .offset = start, .of_table = true}, next + 1 - at_);
  }

  std::optional<NodeId> meaning(const std::string& name) {
    for (const auto& [known, node] : names_.meanings) {
      if (known == name) return node;
    }
    if (const auto found = variables_.find(name); found != variables_.end())
      return graph_.variable(static_cast<std::uint32_t>(found->second));
    if (const auto found = parameters_.find(name); found != parameters_.end()) {
      const Constant& number = names_.parameters[found->second].second;
      if (graph_.keeps_decimals() && !number.formula.empty())
        return Parser(graph_, number.formula, {}).parse().node;
      return graph_.parameter(name, number.value);
    }
    if (name == "pi") return graph_.parameter(name, kPi);
    return std::nullopt;
  }

  std::vector<std::string> known_names() const {
    std::vector<std::string> known = names_.variables;
    for (const auto& [name, node] : names_.meanings) known.push_back(name);
    for (const auto& [name, value] : names_.parameters) known.push_back(name);
    known.emplace_back("pi");
    return known;
  }

  // ", did you mean 'sin'?" or what there is.
  static std::string suggestion(const std::string& name, const std::vector<std::string>& known) {
    constexpr std::size_t kMostNames = 30;
    std::string nearest = did_you_mean(name, known);
    if (name.size() > 1 && !nearest.empty()) return nearest;  // every letter is near every other
    std::string list;
    for (std::size_t i = 0; i < std::min(known.size(), kMostNames); ++i) list += " " + known[i];
    return ", known are:" + list + (known.size() > kMostNames ? " .." : "");
  }

  void unknown_name(const std::string& name) {
    if (const Function* function = find_function(name))
      return mistake(at_, fmt::format("'{}' is a function, write {}", name, function->usage));
    const std::string stem = name.substr(0, name.find('\''));
    if (stem != name && meaning(stem))
      return mistake(at_, fmt::format("unknown name '{}', the rate of '{}' is not known here", name, stem));
    mistake(at_, fmt::format("unknown name '{}'{}", shortened(name), suggestion(name, known_names())));
  }

  bool no_operand() {
    const char c = text_[at_];
    const bool known = is_operator(c) || c == ')' || c == ',';
    if (!known) return stop(at_, stray_character(text_.substr(at_)));
    const char before = last_ == std::string_view::npos ? 0 : text_[last_];
    if (c == '*' && before == '*' && at_ == last_ + 1)
      return stop(last_, "unknown operator '**', write ^ for powers");
    if (is_operator(before) && is_operator(c))
      return stop(at_,
                  fmt::format("two operators in a row, '{}' and '{}': write a number or a name between them",
                              before, c));
    if (is_operator(before)) return stop(last_, fmt::format("nothing follows '{}'", before));
    if (c == ')' && before == '(') return empty_parentheses();
    if (c == ')' && before == ',') return stop(at_, "missing argument before ')'");
    if (c == ')') return stop(at_, "')' without '(' before it");
    if (c == ',' && before != 0) return stop(at_, "missing argument before ','");
    return stop(at_, fmt::format("nothing stands before '{}'", c));
  }

  bool empty_parentheses() {
    const Pending& opened = waiting_.back();
    if (opened.kind == Pending::group) return stop(opened.offset, "empty parentheses");
    if (opened.function) wrong_count(opened, 0);
    return false;
  }

  // ---- where an operator must stand ----

  bool read_operator() {
    const char c = text_[at_];
    if (is_operator(c)) return read_binary(c);
    if (c == ')') return close();
    if (c == ',') return separate();
    if (is_digit(c) || is_letter(c) || c == '(' || c == '.') {
      const std::size_t end = std::min(text_.find_first_of(" \t\r\n+-*/^(),", at_ + 1), text_.size());
      return stop(at_, fmt::format("missing operator before '{}', write * to multiply",
                                   shortened(text_.substr(at_, end - at_))));
    }
    return stop(at_, stray_character(text_.substr(at_)));
  }

  bool read_binary(char c) {
    const Pending incoming{.kind = Pending::binary, .offset = at_, .symbol = c};
    while (!waiting_.empty() && !waiting_.back().is_open()) {
      const int held = waiting_.back().binding();
      if (held < incoming.binding() || (held == incoming.binding() && c == '^')) break;
      reduce();
    }
    waiting_.push_back(incoming);
    wants_operand_ = true;
    last_ = at_++;
    return true;
  }

  // Applies the operator on top to its operands.
  void reduce() {
    const Pending done = waiting_.back();
    waiting_.pop_back();
    const NodeId right = operands_.back();
    operands_.pop_back();
    if (done.kind == Pending::sign) {
      operands_.push_back(graph_.negate(right));
      return;
    }
    const Op op = done.symbol == '+'   ? Op::add
                  : done.symbol == '-' ? Op::subtract
                  : done.symbol == '*' ? Op::multiply
                  : done.symbol == '/' ? Op::divide
                                       : Op::power;
    operands_.back() = graph_.apply(op, operands_.back(), right);
  }

  void reduce_to_open() {
    while (!waiting_.empty() && !waiting_.back().is_open()) reduce();
  }

  bool separate() {
    reduce_to_open();
    if (waiting_.empty() || waiting_.back().kind == Pending::group)
      return stop(at_, "unexpected ',', it separates a function's arguments; decimals have a point");
    wants_operand_ = true;
    last_ = at_++;
    return true;
  }

  bool close() {
    reduce_to_open();
    if (waiting_.empty()) return stop(at_, "')' without '(' before it");
    const Pending opened = waiting_.back();
    waiting_.pop_back();
    --depth_;
    ++at_;
    if (opened.kind == Pending::group) return true;
    const std::size_t count = operands_.size() - opened.values;
    if (opened.of_table) return close_table(opened, count);
    const Arity allowed = opened.function ? arity(opened.function->op) : Arity{0, 0};
    const auto given = static_cast<int>(std::min<std::size_t>(count, 1000));
    std::array<NodeId, 3> arguments{kNone, kNone, kNone};
    for (std::size_t i = 0; i < std::min<std::size_t>(count, 3); ++i)
      arguments[i] = operands_[opened.values + i];
    operands_.resize(opened.values);
    if (opened.function && given >= allowed.fewest && given <= allowed.most) {
      operands_.push_back(graph_.apply(opened.function->op, arguments[0], arguments[1], arguments[2]));
    } else {
      if (opened.function) wrong_count(opened, count);
      operands_.push_back(graph_.constant(1.0));
    }
    return true;
  }

  bool close_table(const Pending& opened, std::size_t count) {
    if (count != 1)
      mistake(opened.offset, fmt::format("'table' is looked up by one value, got {}: write {}", count,
                                         table_function().usage));
    operands_.resize(opened.values + 1);
    operands_.back() = table_node(graph_, tables_.back(), operands_.back());
    tables_.pop_back();
    return true;
  }

  void wrong_count(const Pending& opened, std::size_t count) {
    const Arity allowed = arity(opened.function->op);
    const std::string number = allowed.fewest == allowed.most
                                   ? std::to_string(allowed.most)
                                   : fmt::format("{} or {}", allowed.fewest, allowed.most);
    mistake(opened.offset, fmt::format("'{}' takes {} argument{}, got {}: write {}", opened.function->name,
                                       number, allowed.most == 1 ? "" : "s", count, opened.function->usage));
  }

  void finish() {
    if (wants_operand_ && last_ == std::string_view::npos)
      return mistake(0, "the formula is empty, write a number, a name or for example 2*sin(pi/3)");
    if (wants_operand_) return mistake(last_, fmt::format("nothing follows '{}'", text_[last_]));
    reduce_to_open();
    if (waiting_.empty()) return;
    const std::size_t parenthesis = text_.find('(', waiting_.back().offset);
    mistake(parenthesis, "missing ')' for this '('");
  }

  Graph& graph_;
  std::string_view text_;
  const Names& names_;
  std::unordered_map<std::string, std::size_t> variables_;
  std::unordered_map<std::string, std::size_t> parameters_;
  std::vector<NodeId> operands_;
  std::vector<Pending> waiting_;
  std::vector<TableRows> tables_;  // of calls that are open
  std::vector<FormulaMistake> mistakes_;
  std::size_t at_ = 0;
  std::size_t last_ = std::string_view::npos;  // where the last operator, '(' or ',' stands
  std::size_t depth_ = 0;
  bool wants_operand_ = true;
};

}  // namespace

Parsed parse(Graph& graph, std::string_view text, const Names& names) {
  return Parser(graph, text, names).parse();
}

}  // namespace catena::expr
