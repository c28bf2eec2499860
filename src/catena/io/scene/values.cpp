#include "catena/io/scene/values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <set>
#include <tuple>
#include <utility>

#include "catena/base/words.h"
#include "catena/expr/evaluate.h"
#include "catena/expr/functions.h"
#include "catena/expr/parse.h"

namespace catena {
namespace {

std::optional<double> number_in(const Node& node) {
  if (const auto* whole = std::get_if<std::int64_t>(&node.value)) return static_cast<double>(*whole);
  if (const auto* number = std::get_if<double>(&node.value)) return *number;
  return std::nullopt;
}

// A number, or a text with one or with the quotient of two.
std::optional<double> fraction_in(const Node& node) {
  if (node.text() == nullptr) return number_in(node);
  const auto above = leading_number(trimmed(*node.text()));
  if (!above) return std::nullopt;
  const std::string_view rest = trimmed(above->rest);
  if (rest.empty()) return above->value;
  if (rest[0] != '/') return std::nullopt;
  const auto below = leading_number(trimmed(rest.substr(1)));
  if (!below || !trimmed(below->rest).empty() || below->value == 0.0) return std::nullopt;
  return above->value / below->value;
}

bool check_range(const FieldValue& value, double number) {
  if (!std::isfinite(number)) {
    value.complain("must be a finite number, got " + number_text(number));
    return false;
  }
  if (value.field.range.contains(number)) return true;
  value.complain(fmt::format("{}, got {}", value.field.range.demand(number), described(value.node)));
  return false;
}

FieldInfo component_of(const FieldInfo& field, std::size_t index, Kind kind) {
  FieldInfo component = field;
  component.name = fmt::format("{}[{}]", field.name, index + 1);
  component.kind = kind;
  return component;
}

// Text as it stands; its names are checked once the parameters are known.
void read_formula(const FieldValue& value, std::string& to) {
  if (const std::string* text = value.node.text()) {
    to = *text;
    return;
  }
  const auto number = number_in(value.node);
  if (!number) return value.complain_of_kind();
  if (check_range(value, *number)) to = number_text(*number);
}

std::optional<AngleUnit> unit_named(std::string_view name) {
  for (const std::string_view word : {"deg", "degree", "degrees", "\xC2\xB0"}) {
    if (name == word) return AngleUnit::degrees;
  }
  for (const std::string_view word : {"rad", "radian", "radians"}) {
    if (name == word) return AngleUnit::radians;
  }
  if (name == "pi" || name == "\xCF\x80") return AngleUnit::half_turns;
  return std::nullopt;
}

// "120 deg", "0.25 pi", "-pi"; rates may add "/s".
std::optional<WrittenAngle> angle_from_text(const FieldValue& value, std::string_view text) {
  std::string_view rest = trimmed(text);
  WrittenAngle angle;
  if (const auto number = leading_number(rest)) {
    angle.value = number->value;
    rest = trimmed(number->rest);
  } else if (rest == "pi" || rest == "-pi") {
    angle.value = rest == "pi" ? 1.0 : -1.0;
    rest = "pi";
  } else {
    value.complain_of_kind();
    return std::nullopt;
  }
  const bool per_second = rest.size() > 2 && rest.substr(rest.size() - 2) == "/s";
  if (per_second && value.field.kind == Kind::angular_rate) rest.remove_suffix(2);
  if (rest.empty()) {
    value.complain(fmt::format("must have a unit in {} (deg, pi or rad), or be a plain number in radians",
                               in_quotes(text)));
    return std::nullopt;
  }
  const auto unit = unit_named(rest);
  if (!unit) {
    const std::string guess = did_you_mean(rest, {"deg", "rad", "pi"});
    value.complain(fmt::format("has the unknown unit {}{}", in_quotes(rest),
                               guess.empty() ? "; units are deg, pi and rad" : guess));
    return std::nullopt;
  }
  angle.unit = *unit;
  return angle;
}

std::optional<WrittenAngle> angle_from_pair(const FieldValue& value) {
  const Node::List* pair = value.node.list();
  const bool is_pair =
      pair != nullptr && pair->size() == 2 && number_in(pair->front()) && pair->back().text();
  if (!is_pair) {
    value.complain_of_kind();
    return std::nullopt;
  }
  const std::string& unit = *pair->back().text();
  const double number = *number_in(pair->front());
  if (unit == "r") return WrittenAngle{number, AngleUnit::radians};
  if (unit == "d") return WrittenAngle{number, AngleUnit::degrees};
  if (unit == "p") return WrittenAngle{number, AngleUnit::half_turns};
  value.complain(
      fmt::format("has the unknown unit {}; units are \"r\" (radians), \"d\" (degrees) and \"p\" "
                  "(multiples of pi)",
                  in_quotes(unit)));
  return std::nullopt;
}

std::optional<WrittenAngle> angle_in(const FieldValue& value) {
  std::optional<WrittenAngle> angle;
  if (value.field.kind == Kind::angle_pair) {
    angle = angle_from_pair(value);
  } else if (const auto number = number_in(value.node)) {
    angle = WrittenAngle{*number, AngleUnit::radians};
  } else if (const std::string* text = value.node.text()) {
    angle = angle_from_text(value, *text);
  } else {
    value.complain_of_kind();
  }
  if (angle && !check_range(value, angle->value)) return std::nullopt;
  return angle;
}

// What overrides bring comes last: it stands on no line.
std::vector<Mistake> by_place(std::vector<Mistake> mistakes) {
  const auto key = [](const Mistake& m) {
    return std::tuple(m.place.line == 0, m.place.line, m.place.column);
  };
  std::stable_sort(mistakes.begin(), mistakes.end(),
                   [&](const Mistake& a, const Mistake& b) { return key(a) < key(b); });
  return mistakes;
}

}  // namespace

void Mistakes::add(const SharedPlace& spot, std::string message) {
  if (!full()) mistakes_.push_back({place_of(spot), std::move(message)});
}

void Mistakes::warn(const SharedPlace& spot, std::string message) {
  if (warnings_.size() < kMost) warnings_.push_back({place_of(spot), std::move(message)});
}

std::vector<Warning> Mistakes::warnings() const { return by_place(warnings_); }

void Mistakes::throw_if_any() const {
  if (mistakes_.empty()) return;
  constexpr std::size_t kShown = 100;
  std::vector<Mistake> sorted = by_place(mistakes_);
  if (sorted.size() > kShown) {
    const std::string more = full() ? "more" : std::to_string(sorted.size() - kShown) + " more";
    const std::string source = sorted[kShown].place.source;
    sorted.resize(kShown);
    sorted.push_back({{source, 0, 0}, more + " mistakes are not shown"});
  }
  throw InputError(std::move(sorted));
}

void FieldValue::complain(const std::string& what) const {
  mistakes.add(node.spot, fmt::format("{}: {} {}", owner, field.name, what));
}

void FieldValue::complain_of_kind() const {
  complain(fmt::format("must be {}, got {}", kind_text(field), described(node)));
}

void read_value(const FieldValue& value, double& to) {
  if (value.field.kind == Kind::angle || value.field.kind == Kind::angular_rate) {
    if (const auto angle = angle_in(value)) to = angle_of(*angle).radians;
    return;
  }
  const auto number = value.field.kind == Kind::fraction ? fraction_in(value.node) : number_in(value.node);
  if (!number) return value.complain_of_kind();
  if (check_range(value, *number)) to = *number;
}

void read_value(const FieldValue& value, int& to) {
  const auto number = number_in(value.node);
  if (!number || (std::isfinite(*number) && *number != std::floor(*number))) return value.complain_of_kind();
  if (check_range(value, *number)) to = static_cast<int>(*number);
}

void read_value(const FieldValue& value, bool& to) {
  const auto* flag = std::get_if<bool>(&value.node.value);
  if (flag == nullptr) return value.complain_of_kind();
  to = *flag;
}

void read_value(const FieldValue& value, std::string& to) {
  if (value.field.kind == Kind::formula) return read_formula(value, to);
  const std::string* text = value.node.text();
  if (text == nullptr) return value.complain_of_kind();
  if (!value.field.choices.empty()) check_choice(value, *text, value.field.choices);
  to = *text;
}

void read_value(const FieldValue& value, Vec3& to) {
  const auto number = number_in(value.node);
  if (number && (value.field.kind == Kind::gravity || value.field.kind == Kind::triple)) {
    if (!check_range(value, *number)) return;
    to = value.field.kind == Kind::gravity ? Vec3{0.0, 0.0, 0.0 - *number} : Vec3{*number, *number, *number};
    return;
  }
  const Node::List* list = value.node.list();
  if (list == nullptr || list->size() != 3) return value.complain_of_kind();
  Vec3 read{};
  const std::size_t before = value.mistakes.count();
  for (std::size_t i = 0; i < 3; ++i) {
    const FieldInfo component = component_of(value.field, i, Kind::number);
    read_value(FieldValue{(*list)[i], component, value.owner, value.mistakes}, read[i]);
  }
  if (value.mistakes.count() == before) to = read;
}

void read_value(const FieldValue& value, WrittenAngle& to) {
  if (const auto angle = angle_in(value)) to = *angle;
}

void read_value(const FieldValue& value, WrittenInertia& to) {
  const std::string* text = value.node.text();
  if (text != nullptr && *text == "rod") {
    to = {0.0, true};
    return;
  }
  const auto number = number_in(value.node);
  if (!number) return value.complain_of_kind();
  if (check_range(value, *number)) to = {*number, false};
}

void read_value(const FieldValue& value, WrittenMoment& to) {
  if (number_in(value.node)) return read_value(value, to.along);
  read_value(value, to.fixed);
}

void read_value(const FieldValue& value, WrittenHold& to) {
  if (value.node.text() == nullptr) return read_value(value, to.point);
  to.body = *value.node.text();
}

void read_value(const FieldValue& value, WrittenPivot& to) {
  if (value.node.text() != nullptr) {
    to.body = *value.node.text();
    return;
  }
  const Node::List* list = value.node.list();
  const auto is_text = [](const Node& node) { return node.text() != nullptr; };
  if (list == nullptr || std::none_of(list->begin(), list->end(), is_text))
    return read_value(value, to.start);
  const std::size_t before = value.mistakes.count();
  Formulas motion;
  read_value(value, motion);
  if (value.mistakes.count() == before) to.motion = motion;
}

void read_value(const FieldValue& value, Formulas& to) {
  const Node::List* list = value.node.list();
  if (list == nullptr || list->size() != 3) return value.complain_of_kind();
  for (std::size_t i = 0; i < 3; ++i) {
    const FieldInfo component = component_of(value.field, i, Kind::formula);
    read_value(FieldValue{(*list)[i], component, value.owner, value.mistakes}, to[i]);
  }
}

namespace {

// A number, or a formula of numbers such as "8/3"; none: neither, and the reason goes to `why`.
std::optional<expr::Constant> constant_in(const Node& node, std::string& why) {
  why = fmt::format("must be a finite number, or a formula of numbers such as \"8/3\", got {}",
                    described(node));
  const std::string* text = node.text();
  std::optional<double> number = number_in(node);
  if (text != nullptr) {
    expr::Graph graph;
    const expr::Parsed parsed = expr::parse(graph, *text, {});
    for (const expr::FormulaMistake& mistake : parsed.mistakes)
      why = fmt::format("must be a formula of numbers such as \"8/3\": {}", mistake.message);
    if (!parsed) return std::nullopt;
    double value = 0.0;
    expr::Program(graph, {parsed.node}, 0).evaluate(nullptr, 1, &value);
    number = value;
  }
  if (!number || !std::isfinite(*number)) return std::nullopt;
  return text != nullptr ? expr::Constant(*number, *text) : expr::Constant(*number);
}

}  // namespace

std::optional<double> parameter_in(const Node& node) {
  std::string unused;
  const auto constant = constant_in(node, unused);
  return constant ? std::optional<double>(constant->value) : std::nullopt;
}

void read_value(const FieldValue& value, Parameters& to) {
  const Node::Table* table = value.node.table();
  if (table == nullptr) return value.complain_of_kind();
  for (const Entry& entry : *table) {
    std::string why;
    if (const auto constant = constant_in(entry.value, why)) {
      to.emplace_back(entry.key, *constant);
    } else {
      value.mistakes.add(entry.value.spot,
                         fmt::format("{}: parameter {} {}", value.owner, in_quotes(entry.key), why));
    }
  }
}

void read_value(const FieldValue& value, std::vector<std::string>& to) {
  const Node::List* list = value.node.list();
  if (list == nullptr) return value.complain_of_kind();
  for (const Node& node : *list) {
    if (node.text() == nullptr) return value.complain_of_kind();
    to.push_back(*node.text());
  }
}

void read_value(const FieldValue& value, std::vector<std::vector<double>>& to) {
  const Node::List* list = value.node.list();
  if (list == nullptr) return value.complain_of_kind();
  for (std::size_t i = 0; i < list->size(); ++i) {
    const FieldInfo row = component_of(value.field, i, Kind::coefficients);
    read_value(FieldValue{(*list)[i], row, value.owner, value.mistakes}, to.emplace_back());
  }
}

void read_value(const FieldValue& value, WrittenStarts& to) {
  const Node::Table* table = value.node.table();
  if (table == nullptr) return value.complain_of_kind();
  for (const Entry& entry : *table) {
    FieldInfo one = value.field;
    one.name = fmt::format("{}.{}", value.field.name, entry.key);
    one.kind = value.field.kind == Kind::start_rates ? Kind::angular_rate : Kind::angle;
    const std::size_t before = value.mistakes.count();
    WrittenAngle start;
    read_value(FieldValue{entry.value, one, value.owner, value.mistakes}, start);
    if (value.mistakes.count() == before) to.values.emplace_back(entry.key, start);
  }
}

void read_value(const FieldValue& value, WrittenFormulas& to) {
  const Node::Table* table = value.node.table();
  if (table == nullptr) return value.complain_of_kind();
  for (const Entry& entry : *table) {
    FieldInfo one = value.field;
    one.name = fmt::format("{}.{}", value.field.name, entry.key);
    one.kind = Kind::formula;
    std::string formula;
    read_value(FieldValue{entry.value, one, value.owner, value.mistakes}, formula);
    to.values.emplace_back(entry.key, formula);
  }
}

void read_value(const FieldValue& value, WrittenEnds& to) {
  const Node::List* list = value.node.list();
  if (list == nullptr || list->size() != 2) return value.complain_of_kind();
  for (std::size_t i = 0; i < 2; ++i) {
    const Node& node = (*list)[i];
    if (node.text() != nullptr) {
      to[i].name = *node.text();
    } else {
      const FieldInfo end = component_of(value.field, i, Kind::vector);
      read_value(FieldValue{node, end, value.owner, value.mistakes}, to[i].point);
    }
  }
}

void check_formula(const FieldValue& value, const Parameters& parameters) {
  const std::string* text = value.node.text();
  if (text == nullptr) return;
  expr::Graph graph;
  const expr::Parsed parsed = expr::parse(graph, *text, {value.field.variables, parameters});
  for (const expr::FormulaMistake& mistake : parsed.mistakes) {
    SharedPlace spot = value.node.spot;
    if (spot.line > 0) spot.column += static_cast<int>(mistake.offset) + 1;  // behind the opening quote
    value.mistakes.add(spot, fmt::format("{}: {}: {}", value.owner, value.field.name, mistake.message));
  }
  value.mistakes.note(
      {value.owner, value.field.name, *text, value.field.variables, parameters, place_of(value.node.spot)});
}

void check_parameters(const Node& node, const std::string& owner, const std::vector<std::string>& variables,
                      Mistakes& mistakes) {
  for (const Entry& entry : *node.table()) {
    const std::string& name = entry.key;
    const bool is_variable = std::find(variables.begin(), variables.end(), name) != variables.end();
    if (!is_formula_name(name)) {
      mistakes.add(
          entry.spot,
          fmt::format("{}: parameter {} must begin with a letter and have only letters, digits and _", owner,
                      in_quotes(name)));
    } else if (is_variable || expr::find_function(name) != nullptr) {
      mistakes.add(
          entry.spot,
          fmt::format("{}: the name {} is taken; choose another for the parameter (in formulas it {})", owner,
                      in_quotes(name),
                      is_variable ? "is a variable, which a parameter cannot replace" : "is a function"));
    } else if (name == "pi") {
      mistakes.warn(entry.spot,
                    owner + ": the parameter 'pi' takes the place of the number pi in its formulas");
    }
  }
}

void check_formula_names(const Node::Table& table, const std::string& owner, const char* what,
                         const std::vector<std::string_view>& taken, Mistakes& mistakes) {
  for (const Entry& entry : table) {
    const std::string& name = entry.key;
    if (!is_formula_name(name)) {
      mistakes.add(entry.spot,
                   fmt::format("{}: {} {} must begin with a letter and have only letters, digits and _",
                               owner, what, in_quotes(name)));
    } else if (std::find(taken.begin(), taken.end(), name) != taken.end() ||
               expr::find_function(name) != nullptr) {
      mistakes.add(entry.spot, fmt::format("{}: the name {} is taken; choose another for the {}", owner,
                                           in_quotes(name), what));
    }
  }
}

SharedPlace spot_of_entry(const Node& table, const std::string& name) {
  if (table.table() == nullptr) return table.spot;
  for (const Entry& entry : *table.table()) {
    if (entry.key == name) return entry.spot;
  }
  return table.spot;
}

void warn_of_lonely_keys(const Node& node, const std::string& owner, const std::vector<ServingKey>& serving,
                         Mistakes& mistakes) {
  for (const auto& [key, served] : serving) {
    const Node* value = node.find(key);
    if (value == nullptr || node.find(served) != nullptr) continue;
    mistakes.warn(value->spot, fmt::format("{}: {} does nothing without {}", owner, key, served));
  }
}

void warn_of_unused(const Node& node, const std::string& owner, const std::vector<std::string>& formulas,
                    Mistakes& mistakes) {
  std::set<std::string, std::less<>> used;
  const auto is_part = [](char c) { return is_name("a" + std::string(1, c)) && c != '-'; };
  for (const std::string& formula : formulas) {
    for (auto at = formula.begin(); at != formula.end();) {
      const auto first = std::find_if(at, formula.end(), is_part);
      at = std::find_if_not(first, formula.end(), is_part);
      used.emplace(first, at);
    }
  }
  for (const Entry& entry : *node.table()) {
    if (used.contains(entry.key)) continue;
    mistakes.warn(entry.spot,
                  fmt::format("{}: parameter {} is used by no formula", owner, in_quotes(entry.key)));
  }
}

bool is_name(std::string_view text) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const auto may_follow = [&](char c) {
    return is_letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '-';
  };
  return !text.empty() && is_letter(text[0]) && std::all_of(text.begin(), text.end(), may_follow);
}

bool is_formula_name(std::string_view text) {
  return is_name(text) && text.find('-') == std::string_view::npos;
}

bool is_table(const Node& node, const std::string& owner, Mistakes& mistakes) {
  if (node.table() != nullptr) return true;
  mistakes.add(node.spot, fmt::format("{} must be a table, got {}", owner, described(node)));
  return false;
}

void check_keys(const Node::Table& table, const std::string& owner, const std::vector<std::string>& known,
                Mistakes& mistakes) {
  for (const Entry& entry : table) {
    if (mistakes.full()) return;
    if (std::find(known.begin(), known.end(), entry.key) != known.end()) continue;
    const std::string guess = did_you_mean(entry.key, known);
    mistakes.add(entry.spot,
                 fmt::format("{}: unknown key {}{}", owner, in_quotes(entry.key),
                             guess.empty() ? fmt::format("; known are {}", fmt::join(known, ", ")) : guess));
  }
}

void check_choice(const FieldValue& value, const std::string& word, const std::vector<std::string>& choices) {
  if (std::find(choices.begin(), choices.end(), word) != choices.end()) return;
  const std::string guess = did_you_mean(word, choices);
  const std::string known = choices.size() == 1 ? "; only '" + choices.front() + "' is known"
                                                : fmt::format("; known are {}", fmt::join(choices, ", "));
  value.mistakes.add(value.node.spot, fmt::format("{}: unknown {} {}{}", value.owner, value.field.name,
                                                  in_quotes(word), guess.empty() ? known : guess));
}

}  // namespace catena
