#include <fmt/format.h>

#include <memory>

#include "catena/analyze/indicators.h"
#include "catena/base/mistake.h"
#include "catena/base/words.h"
#include "catena/expr/functions.h"
#include "catena/expr/table.h"
#include "catena/lab/lab.h"
#include "catena/model/fields.h"
#include "catena/model/force_laws.h"
#include "catena/model/joint_info.h"
#include "catena/model/shapes.h"
#include "commands/command.h"
#include "commands/help.h"
#include "lists.h"
#include "scenes.h"
#include "terminal/terminal.h"

namespace catena::cli {
namespace {

std::string methods_text() {
  std::vector<HelpRow> rows;
  for (const Method& method : methods()) {
    const std::string control = method.adaptive ? "chooses its step" : "needs --step";
    rows.push_back(
        {fmt::format("{:<16} order {:<8} {}", method.name, method.order, control), method.summary});
  }
  return two_columns(rows);
}

// The names of its columns: "x_1" for link 1, "qw_body", "fx_pivot" for a chain, "energy" for everything.
std::string column_text(const QuantityInfo& quantity) {
  if (quantity.scope == QuantityInfo::Scope::body) return quantity.stem + "_<body>";
  if (quantity.scope == QuantityInfo::Scope::joint) return quantity.stem + "_<joint>";
  if (quantity.scope == QuantityInfo::Scope::coordinate) {
    const std::string beginning = quantity.stem.starts_with("lo_") ? "lo_" : "";
    return beginning + (quantity.stem.ends_with("_dot") ? "<coordinate>_dot" : "<coordinate>");
  }
  if (quantity.scope == QuantityInfo::Scope::state)
    return quantity.stem.starts_with("lo_") ? "lo_<state>" : "<state>";
  if (quantity.scope == QuantityInfo::Scope::invariant)
    return quantity.stem.ends_with("_error") ? "<invariant>_error" : "<invariant>";
  if (quantity.scope == QuantityInfo::Scope::multiplier) return quantity.stem + "_1";
  if (quantity.scope == QuantityInfo::Scope::link) return quantity.stem + "_1";
  if (quantity.scope == QuantityInfo::Scope::chain_end) return quantity.stem + "_end";
  return quantity.scope == QuantityInfo::Scope::chain ? quantity.stem + "_pivot" : quantity.stem;
}

// Components of a vector share a line.
bool are_alike(const QuantityInfo& a, const QuantityInfo& b) {
  return a.summary == b.summary && a.unit == b.unit && a.scope == b.scope;
}

std::string quantities_text() {
  const std::vector<QuantityInfo> all = quantities();
  std::vector<std::string> groups;
  for (const QuantityInfo& quantity : all) {
    if (std::find(groups.begin(), groups.end(), quantity.group) == groups.end())
      groups.push_back(quantity.group);
  }
  std::string out =
      "--quantities takes groups (position), stems (x, for all links) or columns (x_1, energy).\n"
      "Columns are shown for link 1; with several chains they are called x_<chain>_1.\n";
  for (const std::string& group : groups) {
    std::vector<HelpRow> rows;
    const QuantityInfo* last = nullptr;
    for (const QuantityInfo& quantity : all) {
      if (quantity.group != group) continue;
      if (last != nullptr && are_alike(*last, quantity)) {
        rows.back().left += " " + column_text(quantity);
      } else {
        const std::string unit = quantity.unit.empty() ? "" : fmt::format(" [{}]", quantity.unit);
        rows.push_back({column_text(quantity), quantity.summary + unit});
      }
      last = &quantity;
    }
    for (HelpRow& row : rows) row.left = fmt::format("{:<28}", row.left);  // groups line up
    out += "\n" + emphasised(group, Emphasis::bold, Stream::out) + "\n" + two_columns(rows);
  }
  return out;
}

// Kind, what it does, the equation, and its fields.
std::string forces_text() {
  std::string out = "Each is an entry [[forces]] with kind = \"...\"; (!) marks fields that it needs.\n";
  for (const ForceLaw& law : force_laws()) {
    out += fmt::format("\n{}  {}\n  {}\n", emphasised(law.kind, Emphasis::bold, Stream::out), law.summary,
                       law.equation);
    std::vector<HelpRow> rows;
    for (const Field<ForceEntry>& field : force_fields()) {
      if (field.name == "kind" || !law.has(field.name)) continue;
      const std::string unit = field.unit.empty() ? "" : fmt::format(" [{}]", field.unit);
      const bool has_default = !law.needs(field.name) && !field.default_text.empty();
      rows.push_back({fmt::format("  {:<14}", field.name + (law.needs(field.name) ? " (!)" : "")),
                      field.summary + unit + (has_default ? ", default " + field.default_text : "")});
    }
    out += two_columns(rows);
  }
  return out;
}

std::string coordinate_text(Coordinate coordinate) {
  return coordinate == Coordinate::angle ? "angle" : coordinate == Coordinate::travel ? "travel" : "";
}

std::string joints_text() {
  std::vector<HelpRow> rows;
  for (const JointInfo& joint : joint_infos()) {
    const std::string left =
        fmt::format("{:<18} {} of 6 {:<7}", joint.name, joint.equations, coordinate_text(joint.coordinate));
    rows.push_back({left, joint.summary});
  }
  return "Name, how many of two bodies' relative motions it takes away, the coordinate along which\nsprings, "
         "motors and the like act.\n" +
         two_columns(rows);
}

std::string shapes_text() {
  std::vector<HelpRow> rows;
  for (const ShapeInfo& shape : shape_infos()) rows.push_back({shape.name, shape.summary});
  return two_columns(rows);
}

std::string keys_text() {
  std::string out;
  for (const SectionInfo& section : scene_sections()) {
    out += fmt::format("{}{}  {}\n", out.empty() ? "" : "\n",
                       emphasised(section.path, Emphasis::bold, Stream::out), section.summary);
    std::vector<HelpRow> rows;
    for (const FieldInfo& field : section.fields) {
      const std::string unit = field.unit.empty() ? "" : fmt::format(" [{}]", field.unit);
      const std::string standard = field.default_text.empty() ? "" : ", default " + field.default_text;
      rows.push_back({fmt::format("  {:<18}", field.name + (field.required ? " (!)" : "")),
                      field.summary + unit + standard});
    }
    out += two_columns(rows);
  }
  return out;
}

std::string functions_text() {
  std::vector<HelpRow> rows;
  for (const expr::Function& function : expr::functions())
    rows.push_back({std::string(function.usage), std::string(function.summary)});
  const expr::Function& table = expr::table_function();
  rows.push_back({std::string(table.usage), std::string(table.summary)});
  return "+ - * / and ^, which binds tighter than a minus in front and goes from right to left; pi.\n" +
         two_columns(rows);
}

std::string scenes_text() {
  std::vector<HelpRow> rows;
  for (const ShippedScene& scene : shipped_scenes()) {
    rows.push_back({std::string(scene.name), scene_summary(scene.text)});
  }
  return two_columns(rows);
}

std::string studies_text() {
  std::vector<HelpRow> rows;
  for (const ShippedScene& study : shipped_studies())
    rows.push_back({std::string(study.name), scene_summary(study.text)});
  return two_columns(rows);
}

std::string indicators_text() {
  std::vector<HelpRow> rows;
  for (const IndicatorInfo& info : indicator_infos()) rows.push_back({info.name, info.summary});
  return two_columns(rows);
}

std::string sweeps_text() {
  std::vector<HelpRow> rows;
  for (const ShippedScene& sweep : shipped_sweeps())
    rows.push_back({std::string(sweep.name), scene_summary(sweep.text)});
  return two_columns(rows);
}

struct Topic {
  std::string name;
  std::string summary;
  std::string (*text)();
  ListJson (*json)();
};

const std::vector<Topic>& topics() {
  static const std::vector<Topic> all = {
      {"methods", "integrators, for --method", methods_text, methods_json},
      {"quantities", "what can be recorded, for --quantities", quantities_text, quantities_json},
      {"joints", "kinds of joints, for [[joints]] in scenes", joints_text, joints_json},
      {"shapes", "shapes of bodies, for [[bodies]] in scenes", shapes_text, shapes_json},
      {"forces", "force laws, for [[forces]] in scenes", forces_text, forces_json},
      {"functions", "functions that formulas may call", functions_text, functions_json},
      {"keys", "keys of scenes, section by section", keys_text, keys_json},
      {"scenes", "scenes inside the program, to run by name", scenes_text, scenes_json},
      {"studies", "comparisons of methods, for `catena compare`", studies_text, studies_json},
      {"indicators", "indicators of chaos, for `catena analyze indicators --only`", indicators_text,
       indicators_json},
      {"sweeps", "plans of many cases, for `catena sweep`", sweeps_text, sweeps_json},
  };
  return all;
}

std::vector<std::string> list_topics() {
  std::vector<std::string> names;
  for (const Topic& topic : topics()) names.push_back(topic.name);
  return names;
}

const Topic& topic_called(const std::string& name) {
  for (const Topic& topic : topics()) {
    if (topic.name == name) return topic;
  }
  const std::string near = did_you_mean(name, list_topics());
  const std::string remedy = near.empty() ? "; there are " + alternatives(list_topics()) : near;
  throw InputError({}, fmt::format("there is no list of '{}'{}", name, remedy));
}

int print_topics(bool as_json) {
  std::vector<HelpRow> rows;
  ListJson names = ListJson::array();
  for (const Topic& topic : topics()) {
    rows.push_back({"catena list " + topic.name, topic.summary});
    names.push_back({{"name", topic.name}, {"summary", topic.summary}});
  }
  fmt::print("{}", as_json ? names.dump(2) + "\n" : two_columns(rows));
  return kDone;
}

struct ListArguments {
  std::string topic;
  bool json = false;
};

int perform(const ListArguments& arguments) {
  if (arguments.topic.empty()) return print_topics(arguments.json);
  const Topic& topic = topic_called(arguments.topic);
  fmt::print("{}", arguments.json ? topic.json().dump(2) + "\n" : topic.text());
  return kDone;
}

}  // namespace

Command list_command() {
  const auto arguments = std::make_shared<ListArguments>();
  return {
      .name = "list",
      .summary = "show the methods, quantities, forces, functions, scenes, studies or sweeps there are",
      .usage = "catena list [TOPIC] [--json]",
      .examples = {{"catena list scenes", "what can be run by name"},
                   {"catena list methods", "integrators for --method"},
                   {"catena list quantities", "columns for --quantities"},
                   {"catena list forces", "what can act, for [[forces]]"}},
      .operand = {.words = list_topics()},
      .declare =
          [arguments](Options& options) {
            options.argument("TOPIC", &arguments->topic,
                             fmt::format("{}; none lists the topics", alternatives(list_topics())));
            options.flag("--json", arguments->json, "as JSON");
          },
      .perform = [arguments] { return perform(*arguments); },
  };
}

}  // namespace catena::cli
