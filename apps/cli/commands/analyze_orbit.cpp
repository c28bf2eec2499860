#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "catena/base/mistake.h"
#include "catena/base/words.h"
#include "catena/draw/label.h"
#include "catena/draw/plot/figure.h"
#include "commands/analysis_folder.h"
#include "commands/analyze.h"
#include "commands/branch_curves.h"
#include "commands/look.h"
#include "modes_and_orbits.h"
#include "terminal/interrupt.h"
#include "terminal/messages.h"
#include "terminal/terminal.h"

namespace catena::cli {
namespace {

struct OrbitArguments : AnalyzeArguments {
  std::optional<std::string> period, along, from, to, record;
  std::optional<std::string> when, energy;  // of a search
  std::string direction = "rising";
  int starts = 100, returns = 3, seed = 1;
  int multiple = 1, branches = 12, points = 400;
  bool symmetric = false, quiet = false, search = false;
  LookArguments look;
};

std::optional<double> number(const std::optional<std::string>& typed, const char* option,
                             std::vector<Mistake>& mistakes) {
  if (!typed) return std::nullopt;
  const auto read = leading_number(trimmed(*typed));
  if (read && read->rest.empty() && std::isfinite(read->value)) return read->value;
  mistakes.push_back({{fmt::format("{} {}", option, *typed)}, "must be a number"});
  return std::nullopt;
}

OrbitOptions options_of(const OrbitArguments& arguments, const Scene& scene) {
  OrbitOptions out;
  std::vector<Mistake> mistakes;
  out.period = number(arguments.period, "--period", mistakes);
  if (out.period && !(*out.period > 0.0))
    mistakes.push_back({{"--period " + *arguments.period}, "must be positive"});
  out.multiple = arguments.multiple;
  out.symmetric = arguments.symmetric;
  out.most_branches = static_cast<std::size_t>(arguments.branches);
  out.most_points = static_cast<std::size_t>(arguments.points);
  out.column = arguments.record.value_or("");
  const std::optional<double> from = number(arguments.from, "--from", mistakes);
  const std::optional<double> to = number(arguments.to, "--to", mistakes);
  for (const auto& [option, given] : {std::pair{"--when", arguments.when.has_value()},
                                      std::pair{"--energy", arguments.energy.has_value()}}) {
    if (given) mistakes.push_back({{option}, "is for --search: give that, too"});
  }
  const bool any = arguments.along || arguments.from || arguments.to;
  if (any && !(arguments.along && arguments.from && arguments.to))
    mistakes.push_back({{}, "to follow an orbit, --along PATH, --from and --to are needed together"});
  if (from && to && *from == *to) mistakes.push_back({{"--to " + *arguments.to}, "must differ from --from"});
  if (arguments.along) {
    try {
      set_path(out, scene, *arguments.along);
    } catch (const InputError& error) {
      mistakes.insert(mistakes.end(), error.mistakes().begin(), error.mistakes().end());
    }
  }
  if (!mistakes.empty()) throw InputError(std::move(mistakes));
  out.from = from.value_or(0.0);
  out.to = to.value_or(0.0);
  out.stop = &interrupted();
  return out;
}

// ---- words ------------------------------------------------------------------------------------------------

std::string multiplier_text(const std::complex<double>& value) {
  if (value.imag() == 0.0) return fmt::format("{:.9g}", value.real());
  return fmt::format("{:.9g}{:+.9g}i", value.real(), value.imag());
}

std::string report(const Orbit& orbit) {
  std::string out = fmt::format("period {:.15g} s", orbit.motion.period);
  if (orbit.driven)
    out += orbit.multiple == 1 ? ", that of the drive"
                               : fmt::format(", {} periods of the drive", orbit.multiple);
  if (!orbit.conserved.empty())
    out += fmt::format(", one of a family: {} fixed", fmt::join(orbit.conserved, ", "));
  if (orbit.symmetric) out += *orbit.symmetric ? ", symmetric" : ", not symmetric";
  out += "\nmultipliers ";
  const std::size_t own = orbit.multipliers.values.size() - orbit.multipliers.trivial;
  for (std::size_t i = 0; i < own; ++i)
    out += fmt::format("{}{}", i == 0 ? "" : ", ", multiplier_text(orbit.multipliers.values[i]));
  if (own == 0) out += "none";
  if (orbit.multipliers.trivial > 0)
    out +=
        fmt::format("; and {} that {} 1 for the flow and what it keeps",
                    counted(orbit.multipliers.trivial, "one"), orbit.multipliers.trivial == 1 ? "is" : "are");
  out += fmt::format("\n{}; closes to {:.1e}", orbit.stable ? "stable" : "unstable", orbit.gap);
  if (orbit.flow_error) out += fmt::format(", |M f - f| = {:.1e} |f|", *orbit.flow_error);
  return out + "\n";
}

// Where one goes on at a special point, and whether motions can be seen there.
std::string leads_text(const SpecialPoint& point, const Continuation& along) {
  if (!point.leads_to) return point.mirrored ? "; the branches of either side are not followed" : "";
  const std::vector<BranchPoint>& there = along.branches[*point.leads_to].points;
  return fmt::format(", leads to branch {}{}{}", *point.leads_to + 1,
                     point.mirrored ? " and its mirror image" : "",
                     there.empty()          ? ""
                     : there.front().stable ? ", stable"
                                            : ", unstable");
}

std::string report(const Continuation& along) {
  std::string out;
  for (std::size_t b = 0; b < along.branches.size(); ++b) {
    const Branch& branch = along.branches[b];
    out += fmt::format(
        "branch {}{}{}: {}", b + 1,
        branch.origin
            ? fmt::format(", from {} {:.9g} on branch {}", special_text(along.special[*branch.origin].kind),
                          along.special[*branch.origin].parameter, along.special[*branch.origin].branch + 1)
            : "",
        branch.multiple > 1 ? fmt::format(", {} periods of the drive", branch.multiple) : "",
        counted(branch.points.size(), "point"));
    if (!branch.points.empty())
      out +=
          fmt::format(", {:.9g} to {:.9g}", branch.points.front().parameter, branch.points.back().parameter);
    out += fmt::format("; ends: {}\n", branch.end);
    for (const SpecialPoint& point : along.special) {
      if (point.branch != b) continue;
      out += fmt::format("  {:<9} {:.12g}, period {:.9g} s{}{}\n", special_text(point.kind), point.parameter,
                         point.period, point.mirrored ? ", symmetry breaks" : "", leads_text(point, along));
    }
  }
  if (!along.ratios.empty()) {
    out += "distances of doublings, each over the next: ";
    for (std::size_t i = 0; i < along.ratios.size(); ++i)
      out += fmt::format("{}{:.4f}", i == 0 ? "" : ", ", along.ratios[i]);
    out += "\n";
  }
  return out;
}

// ---- pictures ---------------------------------------------------------------------------------------------

// One period of the motion: the first few columns, each against its rate where there is one.
draw::Figure orbit_figure(const Orbit& orbit, const Scene& scene, const draw::Theme& theme) {
  draw::Figure figure;
  figure.title = "Periodic orbit";
  figure.note = fmt::format("{}, period {:.6g} s, {}", draw::plain_label(scene.name), orbit.motion.period,
                            orbit.stable ? "stable" : "unstable");
  const std::vector<std::string>& names = orbit.course.names;
  const auto place = [&](const std::string& name) {
    return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
  };
  const auto rate_of = [](const std::string& name) {
    const std::size_t cut = name.find('_');
    if (name.rfind("theta_", 0) == 0) return "theta_dot" + name.substr(cut);
    if (name.size() > 1 && name[1] == '_') return "v" + name;
    return name + "_dot";
  };
  const auto add = [&](std::size_t x, std::size_t y) {
    draw::Panel panel;
    panel.x.label = x == names.size() ? "t" : draw::plain_label(names[x]);
    if (x == names.size()) panel.x.unit = "s";
    panel.y.label = draw::plain_label(names[y]);
    draw::Curve curve{.colour = draw::series_colour(theme, 0, 1), .points = {}};
    for (std::size_t k = 0; k < orbit.course.rows.size(); ++k) {
      const std::vector<double>& row = orbit.course.rows[k];
      curve.points.push_back({x == names.size() ? orbit.course.times[k] : row[x], row[y]});
    }
    panel.curves.push_back(std::move(curve));
    figure.panels.push_back(std::move(panel));
  };
  // What does not move is not shown.
  const auto moves = [&](std::size_t i) {
    double low = INFINITY, high = -INFINITY;
    for (const std::vector<double>& row : orbit.course.rows) {
      low = std::min(low, row[i]);
      high = std::max(high, row[i]);
    }
    return high - low > 1e-9;
  };
  const auto is_angle = [&](std::size_t i) {
    return names[i].rfind("theta", 0) == 0 || names[i].rfind("angle", 0) == 0;
  };
  for (const bool angles : {true, false}) {
    for (std::size_t i = 0; i < names.size() && figure.panels.size() < 4; ++i) {
      const std::size_t rate = place(rate_of(names[i]));
      if (is_angle(i) == angles && rate < names.size() && moves(i)) add(i, rate);
    }
  }
  const std::size_t states = orbit.course.names.size();
  if (figure.panels.empty()) {
    for (std::size_t i = 0; i + 1 < states && figure.panels.size() < 3; ++i) add(i, i + 1);
    if (figure.panels.empty() && states > 0) add(states, 0);
  }
  figure.columns = std::min<std::size_t>(2, figure.panels.size());
  figure.panel_height = 200;
  return figure;
}

// Stable stretches solid, unstable ones dashed; special points marked.
draw::Figure branch_figure(const Continuation& along, const Scene& scene, bool driven,
                           const draw::Theme& theme) {
  draw::Panel panel;
  panel.x.label = draw::plain_label(along.path);
  panel.y.label = draw::plain_label(along.column) + (driven ? " at every period of the drive" : ", highest");
  panel.curves = branch_curves(along, theme);
  return one_panel("Branches of periodic orbits",
                   draw::plain_label(scene.name) + "; solid: stable, dashed: unstable", 320.0,
                   std::move(panel));
}

int follow(const OrbitArguments& arguments, const Scene& scene) {
  OrbitOptions options = options_of(arguments, scene);
  ProgressBar bar(!arguments.quiet);
  options.progress = [&](double share) { bar.update(share, 1.0); };
  FoundOrbit found = find_orbit(scene, options);
  const Orbit orbit = found.orbit;
  std::optional<Continuation> along;
  if (arguments.along) along = continued(std::move(found), options);
  bar.clear();
  const Continuation* followed = along ? &*along : nullptr;
  AnalysisFolder folder(arguments.output, theme_of(arguments.look));
  return presented({"orbit", orbit_json(orbit, followed, scene.name),
                    report(orbit) + (along ? report(*along) : ""), orbit.warnings},
                   folder, arguments.json, [&](AnalysisFolder& into) {
                     into.figure("orbit", orbit_figure(orbit, scene, into.theme()));
                     if (followed == nullptr || followed->branches.empty()) return;
                     into.figure("branches", branch_figure(*followed, scene, orbit.driven, into.theme()));
                   });
}

// ---- many orbits ------------------------------------------------------------------------------------------

OrbitSearchOptions search_of(const OrbitArguments& arguments) {
  OrbitSearchOptions out;
  std::vector<Mistake> mistakes;
  for (const auto& [option, given] :
       {std::pair{"--along", arguments.along.has_value()}, std::pair{"--symmetric", arguments.symmetric},
        std::pair{"--multiple", arguments.multiple != 1}}) {
    if (given)
      mistakes.push_back({{option}, "is for one orbit, and --search looks for many: leave one of them out"});
  }
  out.when = arguments.when.value_or("");
  out.direction = arguments.direction;
  out.energy = number(arguments.energy, "--energy", mistakes);
  out.period = number(arguments.period, "--period", mistakes);
  out.starts = static_cast<std::size_t>(arguments.starts);
  out.returns = arguments.returns;
  out.seed = static_cast<std::uint64_t>(arguments.seed);
  if (!mistakes.empty()) throw InputError(std::move(mistakes));
  out.stop = &interrupted();
  return out;
}

std::string search_report(const OrbitSearchResult& result, const std::string& scene) {
  std::string out =
      fmt::format("{}: {} from {}{}\n", scene, counted(result.orbits.size(), "periodic orbit"),
                  counted(result.starts, "start"),
                  result.when.empty() ? ", at every period of the drive" : " on " + result.when + " = 0");
  if (result.orbits.empty()) return out;
  out += fmt::format("  {:>18} {:>10} {:>18} {:>7} {:>5}  {}\n", "period / s", "stability", "action / J s",
                     "images", "hits", "multipliers");
  for (const SearchedOrbit& one : result.orbits) {
    const std::size_t own = one.orbit.multipliers.values.size() - one.orbit.multipliers.trivial;
    std::string multipliers;
    for (std::size_t i = 0; i < own; ++i)
      multipliers +=
          fmt::format("{}{}", i == 0 ? "" : ", ", multiplier_text(one.orbit.multipliers.values[i]));
    out += fmt::format("  {:>18.12g} {:>10} {:>18} {:>7} {:>5}  {}\n", one.orbit.motion.period,
                       one.orbit.stable ? "stable" : "unstable",
                       one.action ? fmt::format("{:.12g}", *one.action) : "-", one.images, one.hits,
                       own == 0 ? "none" : multipliers);
  }
  return out;
}

void write_found(AnalysisFolder& folder, const OrbitSearchResult& result, const Scene& scene) {
  std::vector<std::vector<double>> rows;
  for (std::size_t i = 0; i < result.orbits.size(); ++i) {
    const SearchedOrbit& one = result.orbits[i];
    rows.push_back({static_cast<double>(i + 1), one.orbit.motion.period, one.action.value_or(NAN),
                    one.energy.value_or(NAN), one.orbit.stable ? 1.0 : 0.0, one.orbit.multipliers.largest(),
                    static_cast<double>(one.images), static_cast<double>(one.hits)});
    folder.figure(fmt::format("orbit-{}", i + 1), orbit_figure(one.orbit, scene, folder.theme()));
  }
  folder.table("orbits.csv",
               {"orbit", "period", "action", "energy", "stable", "largest_multiplier", "images", "hits"},
               rows);
}

int search(const OrbitArguments& arguments, const Scene& scene) {
  OrbitSearchOptions options = search_of(arguments);
  ProgressBar bar(!arguments.quiet);
  options.progress = [&](double share) { bar.update(share, 1.0); };
  const OrbitSearchResult result = search_orbits(scene, options);
  bar.clear();
  AnalysisFolder folder(arguments.output, theme_of(arguments.look));
  return presented({"orbits", search_json(result, scene.name), search_report(result, scene.name),
                    result.notes, result.interrupted ? Outcome::interrupted : Outcome::done},
                   folder, arguments.json, [&](AnalysisFolder& into) { write_found(into, result, scene); });
}

int perform(const OrbitArguments& arguments) {
  const Scene scene = analyzed_scene(arguments, "orbit");
  watch_interrupts();
  try {
    return arguments.search ? search(arguments, scene) : follow(arguments, scene);
  } catch (const InputError&) {
    if (!interrupted().load()) throw;
    complain("interrupted before an orbit was found; nothing was written");
    return kInterrupted;
  }
}

}  // namespace

Command analyze_orbit() {
  const auto arguments = std::make_shared<OrbitArguments>();
  return {
      .name = "orbit",
      .summary = "the periodic orbit near the start, its multipliers, and its branches along a number",
      .usage = "catena analyze orbit SCENE [-o DIR] [--json] [options]",
      .examples =
          {{"catena analyze orbit pendulum", "period, multipliers, stability"},
           {"catena analyze orbit driven-pendulum --along forces.1.parameters.drive --from 0.9 --to 1.085 "
            "-o out",
            "symmetry breaks, then the period doubles and doubles"},
           {"catena analyze orbit lorenz --duration 20", "one of the orbits that chaos is made of"},
           {"catena analyze orbit henon-heiles --search --energy 0.05 -o out",
            "all short ones on an energy"}},
      .operand = {.scene = true, .file = true},
      .declare =
          [arguments](Options& options) {
            arguments->declare(options);
            const auto value = [&](const char* name, auto& into, const char* kind, const char* text) {
              options.value(name, &into, kind, text);
            };
            value("--along", arguments->along, "PATH", "follow the orbit along this number of the scene");
            value("--from", arguments->from, "X", "its first value: the orbit is found there");
            value("--to", arguments->to, "X", "its last value");
            value("--period", arguments->period, "S",
                  "of the drive, where it is not found; otherwise about how long the orbit takes");
            options.number("--multiple", arguments->multiple, "N", 1, 1024,
                           "driven: look for a motion that repeats after N periods of the drive. Default: 1");
            options.flag("--symmetric", arguments->symmetric, "half a period must lead to the mirror image");
            value("--record", arguments->record, "COLUMN",
                  "that stands for the motion in the diagram of branches");
            options.number("--branches", arguments->branches, "N", 1, 1000,
                           "follow so many branches at most. Default: 12");
            options.number("--points", arguments->points, "N", 2, 100000,
                           "of a branch compute so many points at most. Default: 400");
            options.flag("--search", arguments->search, "many orbits: starts on a section, each closed");
            value(
                "--when", arguments->when, "FORMULA",
                "of --search: the section is where it vanishes. Default: where a coordinate passes its mean");
            options.value("--direction", &arguments->direction, "D",
                          "of --search: rising, falling or any. Default: rising");
            value("--energy", arguments->energy, "E", "of --search: of the orbits, J. Default: the scene's");
            options.number("--starts", arguments->starts, "N", 1, 1000000, "of --search. Default: 100");
            options.number("--returns", arguments->returns, "N", 1, 100,
                           "of --search: orbits that close after so many returns at most. Default: 3");
            options.number("--seed", arguments->seed, "N", 0, 1000000000, "of --search. Default: 1");
            options.flag("-q,--quiet", arguments->quiet, "no progress");
            arguments->look.declare(options);
          },
      .perform = [arguments] { return perform(*arguments); },
  };
}

}  // namespace catena::cli
