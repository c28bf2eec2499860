#include "catena/io/scene/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <set>
#include <sstream>

#include "catena/base/words.h"
#include "catena/expr/parse.h"
#include "catena/io/scene/document.h"
#include "catena/io/scene/parts.h"
#include "catena/io/scene/scene.h"
#include "catena/io/scene/values.h"

namespace catena {
namespace {

constexpr double kMostPlaces = 1e7;  // along one axis of a grid
constexpr double kMostSamples = 1e12;

FieldInfo sweep_field(const char* name, Kind kind) {
  FieldInfo field;
  field.name = name;
  field.kind = kind;
  return field;
}

// The keys of one table, read with all mistakes collected.
class Table {
 public:
  Table(const Node& node, std::string owner, Mistakes& mistakes)
      : node_(node), owner_(std::move(owner)), mistakes_(mistakes) {}

  bool has(const char* key) const { return node_.find(key) != nullptr; }
  const Node* find(const char* key) const { return node_.find(key); }
  Place place(const char* key) const {
    const Node* found = node_.find(key);
    return place_of(found != nullptr ? found->spot : node_.spot);
  }
  // Of the text behind the opening quote, as formulas count from there.
  Place inside(const char* key) const {
    Place out = place(key);
    if (out.line > 0) ++out.column;
    return out;
  }
  void complain(const char* key, const std::string& what) const {
    const Node* found = node_.find(key);
    mistakes_.add(found != nullptr ? found->spot : node_.spot, fmt::format("{}: {} {}", owner_, key, what));
  }

  void text(const char* key, std::string& to) const {
    if (const Node* found = node_.find(key)) {
      const FieldInfo field = sweep_field(key, Kind::text);
      read_value(FieldValue{*found, field, owner_, mistakes_}, to);
    }
  }
  void texts(const char* key, std::vector<std::string>& to) const {
    if (const Node* found = node_.find(key)) {
      const FieldInfo field = sweep_field(key, Kind::names);
      read_value(FieldValue{*found, field, owner_, mistakes_}, to);
    }
  }
  void flag(const char* key, bool& to) const {
    if (const Node* found = node_.find(key)) {
      const FieldInfo field = sweep_field(key, Kind::flag);
      read_value(FieldValue{*found, field, owner_, mistakes_}, to);
    }
  }
  void choice(const char* key, std::string& to, const std::vector<std::string>& choices) const {
    text(key, to);
    const Node* found = node_.find(key);
    if (found == nullptr || found->text() == nullptr) return;
    const FieldInfo field = sweep_field(key, Kind::text);
    check_choice({*found, field, owner_, mistakes_}, to, choices);
  }
  // A number, or an angle in text: "30 deg", also per second.
  bool number(const char* key, double& to) const {
    const Node* found = node_.find(key);
    return found != nullptr && number(*found, key, to);
  }
  bool number(const Node& node, const char* key, double& to) const {
    if (const auto* whole = std::get_if<std::int64_t>(&node.value)) {
      to = static_cast<double>(*whole);
    } else if (const auto* real = std::get_if<double>(&node.value)) {
      to = *real;
    } else if (node.text() != nullptr) {
      WrittenAngle angle;
      const std::size_t before = mistakes_.count();
      FieldInfo field = sweep_field(key, Kind::angular_rate);
      read_value(FieldValue{node, field, owner_, mistakes_}, angle);
      if (mistakes_.count() > before) return false;
      to = angle_of(angle).radians;
    } else {
      mistakes_.add(node.spot,
                    fmt::format("{}: {} must be a number, or an angle in text (\"30 deg\"), got {}", owner_,
                                key, described(node)));
      return false;
    }
    if (std::isfinite(to)) return true;
    mistakes_.add(node.spot, fmt::format("{}: {} must be a finite number", owner_, key));
    return false;
  }
  bool whole(const char* key, double least, double most, double& to) const {
    const Node* found = node_.find(key);
    if (found == nullptr) return false;
    const auto* read = std::get_if<std::int64_t>(&found->value);
    if (read != nullptr && static_cast<double>(*read) >= least && static_cast<double>(*read) <= most) {
      to = static_cast<double>(*read);
      return true;
    }
    complain(key, fmt::format("must be a whole number from {} to {}, got {}", number_text(least),
                              number_text(most), described(*found)));
    return false;
  }
  std::vector<double> numbers(const char* key) const {
    std::vector<double> out;
    const Node* found = node_.find(key);
    if (found == nullptr) return out;
    if (found->list() == nullptr) {
      complain(key, "must be a list of numbers, got " + described(*found));
      return out;
    }
    for (const Node& item : *found->list()) {
      double value = 0.0;
      if (number(item, key, value)) out.push_back(value);
    }
    return out;
  }
  bool pair(const char* key, double& first, double& second) const {
    const std::size_t before = mistakes_.count();
    const std::vector<double> two = numbers(key);
    if (mistakes_.count() > before) return false;
    if (two.size() != 2) {
      complain(key, "must be two numbers in a list");
      return false;
    }
    first = two[0];
    second = two[1];
    return true;
  }
  void keys(const std::vector<std::string>& known) const {
    check_keys(*node_.table(), owner_, known, mistakes_);
  }
  // Which of these keys the table has; exactly one is right. "": none or several, and said.
  std::string one_of(const std::vector<std::string>& words) const {
    std::vector<std::string> found;
    for (const std::string& word : words) {
      if (node_.find(word) != nullptr) found.push_back(word);
    }
    if (found.size() == 1) return found.front();
    if (found.empty()) {
      mistakes_.add(node_.spot, fmt::format("{}: one of {} is needed", owner_, alternatives(words)));
    } else {
      mistakes_.add(node_.find(found[1])->spot,
                    fmt::format("{}: {} and {} exclude each other", owner_, found[0], found[1]));
    }
    return "";
  }

  const Node& node() const { return node_; }
  const std::string& owner() const { return owner_; }
  Mistakes& mistakes() const { return mistakes_; }

 private:
  const Node& node_;
  std::string owner_;
  Mistakes& mistakes_;
};

std::vector<double> grid_values(double from, double to, std::size_t count, bool logarithmic) {
  std::vector<double> out(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double part = count == 1 ? 0.0 : static_cast<double>(i) / static_cast<double>(count - 1);
    out[i] = logarithmic ? from * std::exp(part * std::log(to / from)) : from + part * (to - from);
  }
  out.back() = count == 1 ? from : to;
  return out;
}

void read_grid(const Table& table, SweepAxis& axis) {
  double from = 0.0, to = 0.0, count = 0.0;
  table.flag("log", axis.logarithmic);
  bool complete = table.number("from", from);
  complete = table.number("to", to) && complete;
  complete = table.whole("count", 1, kMostPlaces, count) && complete;
  for (const char* key : {"to", "count"}) {
    if (!table.has(key)) {
      table.mistakes().add(
          table.node().spot,
          fmt::format("{}: {} is missing beside from: an axis has from, to and count", table.owner(), key));
    }
  }
  if (!complete) return;
  if (axis.logarithmic && !(from * to > 0.0)) {
    table.complain("log", "needs from and to of one sign, and neither zero");
    return;
  }
  axis.values = grid_values(from, to, static_cast<std::size_t>(count), axis.logarithmic);
}

std::vector<std::string> split_line(const std::string& line) {
  std::vector<std::string> out;
  std::istringstream in(line);
  for (std::string word; std::getline(in, word, ',');) out.emplace_back(trimmed(word));
  return out;
}

// A column of a CSV file, whose path counts from the folder of the plan.
void read_file_column(const Table& table, const std::string& source, SweepAxis& axis) {
  table.text("file", axis.file);
  axis.column = axis.name;
  table.text("column", axis.column);
  const std::size_t slash = source.rfind('/');
  const bool is_beside = slash != std::string::npos && !axis.file.empty() && axis.file[0] != '/';
  const std::string path = is_beside ? source.substr(0, slash + 1) + axis.file : axis.file;
  std::ifstream in(path);
  if (!in) return table.complain("file", fmt::format("'{}' cannot be opened", path));
  std::vector<std::string> header;
  std::size_t at = 0, line_number = 0;
  for (std::string line; std::getline(in, line);) {
    ++line_number;
    if (trimmed(line).empty() || trimmed(line)[0] == '#') continue;
    const std::vector<std::string> words = split_line(line);
    if (header.empty()) {
      header = words;
      at = static_cast<std::size_t>(std::find(header.begin(), header.end(), axis.column) - header.begin());
      if (at == header.size()) {
        return table.complain(
            table.has("column") ? "column" : "file",
            fmt::format("'{}' is no column of {}{}", axis.column, path, did_you_mean(axis.column, header)));
      }
      continue;
    }
    const auto number = at < words.size() ? leading_number(words[at]) : std::nullopt;
    if (!number || !trimmed(number->rest).empty() || !std::isfinite(number->value)) {
      return table.complain(
          "file", fmt::format("{}:{}: column '{}' has no number there", path, line_number, axis.column));
    }
    axis.values.push_back(number->value);
  }
  if (axis.values.empty()) table.complain("file", fmt::format("'{}' has no cases", path));
}

void read_axis_values(const Table& table, const std::string& source, SweepAxis& axis) {
  const std::string form = table.one_of({"from", "values", "file", "uniform", "normal", "sphere"});
  if (form == "from") {
    axis.kind = SweepAxis::Kind::grid;
    read_grid(table, axis);
  } else if (form == "values" || form == "file") {
    axis.kind = form == "file" ? SweepAxis::Kind::file : SweepAxis::Kind::values;
    if (form == "values" || table.has("values_of_file")) {
      axis.values = table.numbers(form == "values" ? "values" : "values_of_file");
      table.text("file", axis.file);
      table.text("column", axis.column);
      if (axis.values.empty()) table.complain(form.c_str(), "must have at least one number");
    } else {
      read_file_column(table, source, axis);
    }
  } else if (form == "uniform") {
    axis.kind = SweepAxis::Kind::uniform;
    if (table.pair("uniform", axis.first, axis.second) && !(axis.first < axis.second))
      table.complain("uniform", "must be [low, high] with low below high");
  } else if (form == "normal") {
    axis.kind = SweepAxis::Kind::normal;
    if (table.pair("normal", axis.first, axis.second) && !(axis.second >= 0.0))
      table.complain("normal", "must be [mean, standard deviation], and the second is not negative");
  } else if (form == "sphere") {
    axis.kind = SweepAxis::Kind::sphere;
    bool on = false;
    table.flag("sphere", on);
    if (!on) table.complain("sphere", "must be true: directions drawn evenly from the sphere");
  }
  for (const char* key : {"to", "count", "log"}) {
    if (form != "from" && !form.empty() && table.has(key))
      table.complain(key, "belongs to an axis with from, to and count");
  }
}

SweepAxis read_axis(const Node& node, const std::string& owner, const std::string& source,
                    Mistakes& mistakes) {
  SweepAxis axis;
  if (!is_table(node, owner, mistakes)) return axis;
  const Table table(node, owner, mistakes);
  table.keys({"name", "key", "keys", "from", "to", "count", "log", "values", "file", "column", "uniform",
              "normal", "sphere", "values_of_file"});
  axis.place = place_of(node.spot);
  std::string key;
  table.text("key", key);
  table.texts("keys", axis.keys);
  if (table.has("key") && table.has("keys")) {
    table.complain("keys", "and key exclude each other");
  } else if (table.has("key")) {
    axis.keys = {key};
    axis.place = table.place("key");
  } else if (axis.keys.empty()) {
    mistakes.add(node.spot, owner +
                                ": key is missing; it must be the path of a number of the scene, as in "
                                "\"chain.links.1.theta\"");
  } else {
    axis.place = table.place("keys");
  }
  if (!axis.keys.empty()) axis.name = axis.keys.front().substr(axis.keys.front().rfind('.') + 1);
  // Items of lists end in a number, which is no name.
  if (!axis.name.empty() && !is_formula_name(axis.name)) axis.name = fmt::format("axis_{}", axis.name);
  table.text("name", axis.name);
  if (!is_formula_name(axis.name) && !axis.name.empty())
    table.complain("name", "must begin with a letter and have only letters, digits and _");
  read_axis_values(table, source, axis);
  return axis;
}

// The one key that says what is measured, and those that may stand beside it.
struct MeasureForm {
  const char* key;
  SweepMeasure::Kind kind;
  std::vector<std::string> others;
};

const std::vector<MeasureForm>& measure_forms() {
  using Kind = SweepMeasure::Kind;
  static const std::vector<MeasureForm> forms = {
      {"column", Kind::column, {"what", "at"}}, {"event", Kind::event, {"what", "stop", "direction"}},
      {"nearest", Kind::nearest, {"columns"}},  {"derivative", Kind::derivative, {}},
      {"summary", Kind::summary, {}},           {"indicator", Kind::indicator, {}},
  };
  return forms;
}

void read_nearest(const Table& table, SweepMeasure& measure) {
  table.texts("columns", measure.columns);
  if (measure.columns.empty())
    table.complain("nearest", "needs columns = [..], the coordinates in which its points are given");
  const Node* list = table.find("nearest");
  if (list->list() == nullptr || list->list()->empty())
    return table.complain("nearest", "must be a list of points, each a list of numbers");
  for (const Node& item : *list->list()) {
    std::vector<double>& point = measure.points.emplace_back();
    const std::size_t size = item.list() == nullptr ? 0 : item.list()->size();
    if (size != measure.columns.size()) {
      table.mistakes().add(item.spot, fmt::format("{}: a point of nearest must have {}, one for each column",
                                                  table.owner(), counted(measure.columns.size(), "number")));
      continue;
    }
    for (const Node& one : *item.list()) table.number(one, "nearest", point.emplace_back());
  }
}

void read_derivative(const Table& table, SweepMeasure& measure) {
  std::vector<std::string> two;
  table.texts("derivative", two);
  if (two.size() != 2)
    return table.complain("derivative", "must be a column and a path: [\"x_2\", \"chain.links.1.length\"]");
  measure.of = two[0];
  measure.path = two[1];
}

void read_measure_form(const Table& table, const MeasureForm& form, SweepMeasure& measure) {
  measure.kind = form.kind;
  measure.place = table.place(form.key);
  const auto& others = form.others;
  for (const char* key : {"what", "at", "stop", "direction", "columns"}) {
    if (table.has(key) && std::find(others.begin(), others.end(), key) == others.end())
      table.complain(key, fmt::format("does not belong to a measure of {}", form.key));
  }
  switch (form.kind) {
    case SweepMeasure::Kind::column:
      table.text("column", measure.of);
      measure.what = "last";
      table.choice("what", measure.what, {"last", "min", "max", "mean", "range"});
      if (table.has("at")) {
        double at = 0.0;
        if (table.number("at", at)) measure.at = at;
        if (at < 0.0) table.complain("at", "must not be negative");
        if (table.has("what")) table.complain("what", "and at exclude each other");
      }
      break;
    case SweepMeasure::Kind::event:
      table.text("event", measure.of);
      measure.place = table.inside("event");
      if (trimmed(measure.of).empty()) table.complain("event", "must be a formula of columns and t");
      measure.what = "time";
      table.text("what", measure.what);
      table.choice("direction", measure.direction, {"rising", "falling", "any"});
      table.flag("stop", measure.stop);
      break;
    case SweepMeasure::Kind::nearest:
      read_nearest(table, measure);
      break;
    case SweepMeasure::Kind::derivative:
      read_derivative(table, measure);
      break;
    case SweepMeasure::Kind::summary:
      table.choice("summary", measure.of,
                   {"energy_error_relative", "constraint_error", "steps", "simulated_seconds"});
      break;
    case SweepMeasure::Kind::indicator:
      table.text("indicator", measure.of);
      break;
  }
}

SweepMeasure read_measure(const Node& node, const std::string& owner, Mistakes& mistakes) {
  SweepMeasure measure;
  if (!is_table(node, owner, mistakes)) return measure;
  const Table table(node, owner, mistakes);
  std::vector<std::string> forms;
  for (const MeasureForm& form : measure_forms()) forms.emplace_back(form.key);
  std::vector<std::string> known = forms;
  for (const char* other : {"name", "what", "at", "stop", "direction", "columns"}) known.emplace_back(other);
  table.keys(known);
  const std::string key = table.one_of(forms);
  for (const MeasureForm& form : measure_forms()) {
    if (key == form.key) read_measure_form(table, form, measure);
  }
  const bool is_column = measure.kind == SweepMeasure::Kind::column && is_name(measure.of);
  measure.name = is_column ? measure.of : key;
  table.text("name", measure.name);
  if (!measure.name.empty() && !is_name(measure.name))
    table.complain("name", "must begin with a letter and have only letters, digits, _ and -");
  const std::set<std::string> taken{"axes", "status", "reasons", "plan", "scene", "summary", "catena"};
  if (taken.count(measure.name) > 0)
    table.complain("name",
                   fmt::format("'{}' is what files call something else; choose another", measure.name));
  return measure;
}

// Tables of a list, each read by `read(node, owner)`.
template <class Read>
void read_tables(const Node& sweep, const char* key, const char* what, Mistakes& mistakes, const Read& read) {
  const Node* list = sweep.find(key);
  if (list == nullptr) {
    mistakes.add(sweep.spot, fmt::format("sweep: {} is missing; write [[sweep.{}]] at least once", key, key));
    return;
  }
  if (list->list() == nullptr || list->list()->empty()) {
    mistakes.add(list->spot,
                 fmt::format("sweep: {} must be tables; write [[sweep.{}]] with double brackets", key, key));
    return;
  }
  std::size_t count = 0;
  for (const Node& node : *list->list()) {
    if (mistakes.full()) return;
    read(node, fmt::format("{} {}", what, ++count));
  }
}

void check_draws(const Table& table, const SweepPlan& plan) {
  const auto is_drawn = [](const SweepAxis& axis) { return axis.is_drawn(); };
  const bool draws = std::any_of(plan.axes.begin(), plan.axes.end(), is_drawn);
  if (draws && plan.samples == 0 && !table.has("samples"))
    table.mistakes().add(table.node().spot, "sweep: samples is missing: how many draws are wanted");
  for (const char* key : {"samples", "sampler", "seed"}) {
    if (!draws && table.has(key))
      table.complain(key, "is for random draws (uniform, normal, sphere), and nothing is drawn");
  }
}

void check_skip(const Table& table, const SweepPlan& plan) {
  if (plan.skip.empty()) return;
  std::vector<std::string> names;
  for (const SweepAxis& axis : plan.axes) {
    if (axis.width() == 1) names.push_back(axis.name);
  }
  expr::Graph graph;
  for (const expr::FormulaMistake& mistake : expr::parse(graph, plan.skip, {names, {}}).mistakes) {
    SharedPlace spot = table.find("skip")->spot;
    if (spot.line > 0) spot.column += 1 + static_cast<int>(mistake.offset);
    table.mistakes().add(spot, "sweep: skip: " + mistake.message);
  }
}

void check_names(const SweepPlan& plan, const Node& sweep, Mistakes& mistakes) {
  std::set<std::string> axes, measures;
  for (const SweepAxis& axis : plan.axes) {
    if (!axis.name.empty() && !axes.insert(axis.name).second)
      mistakes.add(sweep.find("vary")->spot,
                   fmt::format("sweep: two axes are called '{}'; give one another name", axis.name));
  }
  for (const SweepMeasure& measure : plan.measures) {
    if (!measure.name.empty() && !measures.insert(measure.name).second)
      mistakes.add(sweep.find("measures")->spot,
                   fmt::format("sweep: two measures are called '{}'; give one another name", measure.name));
  }
}

void read_head(const Table& table, SweepPlan& plan) {
  table.keys({"scene", "set", "samples", "seed", "sampler", "energy", "solve", "skip", "vary", "measures"});
  table.text("scene", plan.scene);
  table.texts("set", plan.set);
  double number = 0.0;
  if (table.whole("samples", 1, kMostSamples, number)) plan.samples = static_cast<std::size_t>(number);
  if (table.whole("seed", 0, 0x1p53, number)) plan.seed = static_cast<std::uint64_t>(number);
  std::string sampler = "random";
  table.choice("sampler", sampler, {"random", "sobol", "latin"});
  plan.sampler = sampler == "sobol" ? Sampler::sobol : sampler == "latin" ? Sampler::latin : Sampler::random;
  if (table.number("energy", number)) plan.energy = number;
  table.text("solve", plan.solve);
  plan.solve_place = table.place("solve");
  if (table.has("energy") != table.has("solve"))
    table.complain(table.has("energy") ? "energy" : "solve",
                   "needs the other one: energy says which, solve the number that is found for it");
  table.text("skip", plan.skip);
  plan.skip_place = table.inside("skip");
}

// Files stand in the plan with what they hold, so that it stands alone.
void put_files_inside(Node& sweep, const SweepPlan& plan) {
  Node* vary = sweep.find("vary");
  for (std::size_t a = 0; a < plan.axes.size(); ++a) {
    Node& axis = (*vary->list())[a];
    if (plan.axes[a].kind != SweepAxis::Kind::file || axis.find("values_of_file") != nullptr) continue;
    Node values{axis.spot, Node::List{}};
    for (const double value : plan.axes[a].values) values.list()->push_back(Node{axis.spot, value});
    axis.table()->push_back({"values_of_file", axis.spot, std::move(values)});
  }
}

SweepPlan plan_in(Node& document, const std::string& source, bool stands_alone) {
  Mistakes mistakes;
  SweepPlan plan;
  Node* sweep = document.find("sweep");
  if (sweep == nullptr) {
    mistakes.add(document.spot, "there is no [sweep] here: it says what is varied and what is measured");
    mistakes.throw_if_any();
  }
  if (!is_table(*sweep, "sweep", mistakes)) mistakes.throw_if_any();
  const Table table(*sweep, "sweep", mistakes);
  read_head(table, plan);
  read_tables(*sweep, "vary", "axis", mistakes, [&](const Node& node, const std::string& owner) {
    plan.axes.push_back(read_axis(node, owner, source, mistakes));
  });
  read_tables(*sweep, "measures", "measure", mistakes, [&](const Node& node, const std::string& owner) {
    plan.measures.push_back(read_measure(node, owner, mistakes));
  });
  const bool has_more = document.table()->size() > 1;
  if (plan.scene.empty() && !has_more && !stands_alone && !table.has("scene"))
    mistakes.add(sweep->spot, "sweep: scene is missing, and there is no scene around it");
  if (!plan.scene.empty() && has_more)
    table.complain("scene", "and a scene around [sweep] exclude each other");
  check_draws(table, plan);
  check_skip(table, plan);
  check_names(plan, *sweep, mistakes);
  mistakes.throw_if_any();
  put_files_inside(*sweep, plan);
  plan.json = json_text(*sweep);
  return plan;
}

}  // namespace

bool has_sweep(std::string_view text, const std::string& source) {
  if (text.find("sweep") == std::string_view::npos) return false;
  try {
    return document_from(text, source).find("sweep") != nullptr;
  } catch (const InputError&) {
    return false;
  }
}

SweepPlan read_sweep(std::string_view text, const std::string& source,
                     const std::vector<std::string>& overrides) {
  Node document = document_from(text, source);
  Mistakes mistakes;
  for (const std::string& one : overrides) apply_override(document, one, mistakes);
  mistakes.throw_if_any();
  return plan_in(document, source, false);
}

SweepPlan sweep_from_json(std::string_view json, const std::string& source) {
  Node document = document_from_json(fmt::format("{{\"sweep\":{}}}", json), source);
  return plan_in(document, source, true);
}

}  // namespace catena
