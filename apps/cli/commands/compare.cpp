#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "catena/base/mistake.h"
#include "catena/base/version.h"
#include "catena/base/words.h"
#include "catena/draw/plot/comparison.h"
#include "catena/draw/plot/page.h"
#include "catena/io/scene/scene.h"
#include "commands/command.h"
#include "commands/look.h"
#include "commands/pictures.h"
#include "recording/recorder.h"
#include "recording/recording.h"
#include "recording/scene_arguments.h"
#include "studies.h"
#include "terminal/interrupt.h"
#include "terminal/messages.h"
#include "terminal/terminal.h"

namespace catena::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

struct CompareArguments {
  SceneArguments scene;
  std::vector<std::string> methods, formulations, steps, tolerances, orders;
  std::optional<std::string> folder;
  LookArguments look;
  bool json = false, csv = false, quiet = false, no_video = false;
};

// What is compared: a study, or a scene with the methods asked for.
struct Plan {
  std::string name;
  Study study;
  std::vector<Scene> scenes;            // one for each case
  std::vector<std::string> case_names;  // beside them; empty where there are no cases
};

template <class T>
std::vector<T> numbers(const std::vector<std::string>& lists, const char* option) {
  std::vector<T> out;
  std::vector<Mistake> mistakes;
  for (const std::string& word : split_list(lists)) {
    const auto number = leading_number(word);
    if (number && number->rest.empty() && number->value > 0.0) {
      out.push_back(static_cast<T>(number->value));
    } else {
      mistakes.push_back({{option}, fmt::format("'{}' is no positive number", word)});
    }
  }
  if (!mistakes.empty()) throw InputError(std::move(mistakes));
  return out;
}

Study study_of(const CompareArguments& arguments) {
  if (!arguments.scene.scene)
    throw InputError({}, "`catena compare` needs a scene or a study: catena compare work-precision");
  const std::string& name = *arguments.scene.scene;
  Study study;
  const bool of_formulations = arguments.methods.empty() && !arguments.formulations.empty();
  if (of_formulations) {
    study.scene = name;
    study.methods = {"taylor"};
  } else if (!arguments.methods.empty()) {
    study.scene = name;
    study.methods = split_list(arguments.methods);
  } else if (const std::optional<Study> found = find_study(name)) {
    study = *found;
  } else {
    throw InputError({},
                     fmt::format("there is no study '{}'; with a scene, say which methods: catena compare {} "
                                 "--methods rk4,taylor; `catena list studies` shows those shipped",
                                 name, shell_word(name)));
  }
  for (const std::string& formulation : split_list(arguments.formulations))
    study.cases.push_back({formulation, {fmt::format("chain.formulation=\"{}\"", formulation)}});
  if (!arguments.steps.empty()) study.steps = numbers<double>(arguments.steps, "--steps");
  if (!arguments.tolerances.empty()) study.tolerances = numbers<double>(arguments.tolerances, "--tolerances");
  if (!arguments.orders.empty()) study.orders = numbers<int>(arguments.orders, "--orders");
  complete(study);
  return study;
}

Plan plan_of(const CompareArguments& arguments) {
  Plan plan;
  plan.study = study_of(arguments);
  plan.name = *arguments.scene.scene;
  std::vector<StudyCase> cases = plan.study.cases;
  if (cases.empty()) cases.push_back({"", {}});
  for (const StudyCase& one : cases) {
    const Settings settings = settings_of(plan.study, one, arguments.scene);
    plan.scenes.push_back(
        scene_with(find_scene(plan.study.scene), overrides_of(settings, "--{} {}"), settings.events));
    if (!plan.study.cases.empty()) plan.case_names.push_back(one.name);
  }
  return plan;
}

// ---- tables -----------------------------------------------------------------------------------------------

std::string short_number(double value) { return std::isfinite(value) ? fmt::format("{:.3g}", value) : "-"; }

struct Column {
  std::string name, unit;
  std::function<std::string(const Score&)> text;
  std::function<Json(const Score&)> value;
};

const std::vector<Column>& columns() {
  const auto number = [](double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); };
  const auto real = [number](std::string name, std::string unit, std::function<double(const Score&)> get) {
    return Column{std::move(name), std::move(unit), [get](const Score& s) { return short_number(get(s)); },
                  [get, number](const Score& s) { return number(get(s)); }};
  };
  const auto whole = [](std::string name, std::function<std::int64_t(const Score&)> get) {
    return Column{std::move(name), "", [get](const Score& s) { return std::to_string(get(s)); },
                  [get](const Score& s) { return Json(get(s)); }};
  };
  static const std::vector<Column> all{
      real("final_error", "m", [](const Score& s) { return s.final_error; }),
      real("position_error", "m", [](const Score& s) { return s.position_error; }),
      real("mean_energy_error", "J", [](const Score& s) { return s.mean_energy_error; }),
      real("largest_energy_error", "J", [](const Score& s) { return s.largest_energy_error; }),
      real("momentum_error", "kg m^2/s", [](const Score& s) { return s.momentum_error; }),
      real("constraint_error", "", [](const Score& s) { return s.summary.constraint_error; }),
      whole("steps", [](const Score& s) { return s.summary.counts.steps; }),
      whole("rejected", [](const Score& s) { return s.summary.counts.rejected; }),
      whole("evaluations", [](const Score& s) { return s.summary.counts.evaluations; }),
      real("seconds", "s", [](const Score& s) { return s.summary.step_seconds; }),
      real("seconds_per_step", "s",
           [](const Score& s) {
             return s.summary.step_seconds /
                    std::max<double>(1.0, static_cast<double>(s.summary.counts.steps));
           }),
      real("series_bytes", "B", [](const Score& s) { return s.series_bytes > 0 ? s.series_bytes : NAN; }),
  };
  return all;
}

std::string outcome_mark(const Score& score) {
  return score.summary.outcome == Outcome::done ? "" : " (" + outcome_text(score.summary.outcome) + ")";
}

std::string table_text(const Comparison& comparison) {
  // Time per step says something where all steps are equal.
  const bool equal_steps = std::all_of(comparison.scores.begin(), comparison.scores.end(),
                                       [](const Score& score) { return score.contender.step.has_value(); });
  const auto is_left_out = [&](const Column& column) {
    return (column.name == "seconds_per_step" && !equal_steps) || column.name == "position_error";
  };
  std::vector<std::vector<std::string>> cells(1, {"method"});
  for (const Column& column : columns()) {
    if (is_left_out(column)) continue;
    cells[0].push_back(column.name);
  }
  for (const Score& score : comparison.scores) {
    std::vector<std::string> row{score.contender.label() + outcome_mark(score)};
    for (const Column& column : columns()) {
      if (is_left_out(column)) continue;
      row.push_back(column.text(score));
    }
    cells.push_back(std::move(row));
  }
  // A column that says nothing is left out.
  std::vector<bool> shown(cells[0].size(), false);
  std::vector<std::size_t> widths(cells[0].size(), 0);
  for (std::size_t r = 0; r < cells.size(); ++r) {
    for (std::size_t c = 0; c < cells[r].size(); ++c) {
      widths[c] = std::max(widths[c], cells[r][c].size());
      if (r > 0 && cells[r][c] != "-" && (cells[r][c] != "0" || c == 0)) shown[c] = true;
    }
  }
  std::string out;
  for (const std::vector<std::string>& row : cells) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c) {
      if (!shown[c]) continue;
      line += c == 0 ? fmt::format("{:<{}}", row[c], widths[c]) : fmt::format("  {:>{}}", row[c], widths[c]);
    }
    out += line + "\n";
  }
  for (const LeftOut& one : comparison.left_out)
    out += fmt::format("{}  does not apply: {}\n", one.contender.label(), one.reason);
  return out;
}

// Methods with several settings, and taylor's orders, each by itself.
std::vector<std::pair<std::string, std::optional<int>>> families(const Comparison& comparison) {
  std::vector<std::pair<std::string, std::optional<int>>> out;
  for (const Score& score : comparison.scores) {
    const std::pair<std::string, std::optional<int>> own{score.contender.method, score.contender.order};
    if (std::find(out.begin(), out.end(), own) == out.end()) out.push_back(own);
  }
  return out;
}

std::string orders_text(const Comparison& comparison) {
  std::string out;
  for (const auto& [method, order] : families(comparison)) {
    const auto fitted = fitted_order(comparison, method, order);
    if (!fitted) continue;
    out += fmt::format("{}{}{} {:.2f}", out.empty() ? "order seen in the errors: " : ", ", method,
                       order ? fmt::format(" of order {}", *order) : "", *fitted);
  }
  return out.empty() ? "" : out + "\n";
}

Json comparison_json(const Comparison& comparison, const std::string& case_name) {
  Json scores = Json::array();
  for (const Score& score : comparison.scores) {
    Json one = {{"method", score.contender.method},
                {"step", score.contender.step ? Json(*score.contender.step) : Json(nullptr)},
                {"tolerance", score.contender.tolerance ? Json(*score.contender.tolerance) : Json(nullptr)},
                {"order", score.summary.order},
                {"outcome", outcome_text(score.summary.outcome)}};
    for (const Column& column : columns()) one[column.name] = column.value(score);
    scores.push_back(std::move(one));
  }
  Json left_out = Json::array();
  for (const auto& [contender, reason] : comparison.left_out) {
    left_out.push_back({{"method", contender.method},
                        {"step", contender.step ? Json(*contender.step) : Json(nullptr)},
                        {"tolerance", contender.tolerance ? Json(*contender.tolerance) : Json(nullptr)},
                        {"reason", reason}});
  }
  Json orders = Json::object();
  for (const auto& [method, order] : families(comparison)) {
    const auto fitted = fitted_order(comparison, method, order);
    if (fitted) orders[order ? fmt::format("{} {}", method, *order) : method] = *fitted;
  }
  Json out = {{"scene", comparison.scene},
              {"duration", comparison.duration},
              {"reference", comparison.reference},
              {"reference_error", comparison.reference_error},
              {"fitted_orders", orders},
              {"runs", scores},
              {"left_out", left_out}};
  if (!case_name.empty()) out["case"] = case_name;
  return out;
}

std::string csv_text(const std::vector<Comparison>& comparisons, const std::vector<std::string>& cases) {
  std::string out = cases.empty() ? "" : "case,";
  out += "method,step,tolerance,order,outcome";
  for (const Column& column : columns()) out += "," + column.name;
  out += "\n";
  const auto field = [](const std::optional<double>& value) { return value ? number_text(*value) : ""; };
  for (std::size_t i = 0; i < comparisons.size(); ++i) {
    for (const Score& score : comparisons[i].scores) {
      if (!cases.empty()) out += cases[i] + ",";
      out += fmt::format("{},{},{},{},{}", score.contender.method, field(score.contender.step),
                         field(score.contender.tolerance), score.summary.order,
                         outcome_text(score.summary.outcome));
      for (const Column& column : columns()) {
        const Json value = column.value(score);
        out += "," + (value.is_null() ? "" : value.is_number_float() ? number_text(value) : value.dump());
      }
      out += "\n";
    }
  }
  return out;
}

// The score in `other` that belongs to score m of `first`: settings may differ from case to case, and methods
// may be left out.
const Score* counterpart(const Comparison& first, std::size_t m, const Comparison& other) {
  const std::string& method = first.scores[m].contender.method;
  std::size_t left = 0;
  for (std::size_t i = 0; i < m; ++i) left += first.scores[i].contender.method == method ? 1 : 0;
  for (const Score& score : other.scores) {
    if (score.contender.method == method && left-- == 0) return &score;
  }
  return nullptr;
}

// ---- files ------------------------------------------------------------------------------------------------

// The best run of each method: the one with the smallest error.
std::vector<const Score*> best_of_each(const Comparison& comparison) {
  std::vector<const Score*> best;
  for (const Score& score : comparison.scores) {
    const auto same = [&](const Score* other) { return other->contender.method == score.contender.method; };
    const auto found = std::find_if(best.begin(), best.end(), same);
    if (found == best.end()) {
      best.push_back(&score);
    } else if (!((*found)->final_error <= score.final_error)) {
      *found = &score;
    }
  }
  return best;
}

void write_trajectory(const Scene& scene, const Comparison& comparison, const Score& score,
                      const std::string& path) {
  Recorder recorder({{path}, false}, {std::string(this_version()), scene.json, comparison.stems}, false);
  for (const std::vector<double>& row : score.rows) recorder.row(row.data());
  recorder.finish(summary_json(score.summary));
}

std::vector<draw::Point> points(const std::vector<double>& x, const std::vector<double>& y) {
  std::vector<draw::Point> out;
  for (std::size_t i = 0; i < x.size(); ++i) out.push_back({x[i], y[i]});
  return out;
}

struct NamedFigure {
  std::string file, title;
  draw::Figure figure;
};

std::vector<NamedFigure> figures_of(const Comparison& comparison, const draw::ComparisonOptions& look) {
  std::vector<draw::MethodRuns> by_seconds, by_evaluations;
  for (const auto& [method, order] : families(comparison)) {
    const std::string name = order ? fmt::format("{} {}", method, *order) : method;
    by_seconds.push_back({name, {}});
    by_evaluations.push_back({name, {}});
    for (const Score& score : comparison.scores) {
      if (score.contender.method != method || score.contender.order != order) continue;
      by_seconds.back().runs.push_back({score.summary.step_seconds, score.final_error});
      by_evaluations.back().runs.push_back(
          {static_cast<double>(score.summary.counts.evaluations), score.final_error});
    }
  }
  std::vector<draw::MethodSeries> errors, sizes;
  std::vector<draw::MethodScore> scores;
  for (const Score* score : best_of_each(comparison)) {
    errors.push_back({score->contender.label(), points(score->times, score->energy_errors)});
    sizes.push_back({score->contender.label(), points(score->times, score->step_sizes)});
    scores.push_back({score->contender.label(), score->mean_energy_error,
                      score->summary.simulated_seconds / std::max(score->summary.step_seconds, 1e-9),
                      score->summary.outcome != Outcome::done});
  }
  const std::string what = comparison.of_states ? "Error of the states" : "Position error";
  const std::string unit = comparison.of_states ? "" : "m";
  std::vector<NamedFigure> figures{
      {"accuracy", "Accuracy against computing time",
       draw::accuracy_figure(by_seconds, "Computing time", "s", what, unit, look)},
      {"accuracy-evaluations", "Accuracy against evaluations",
       draw::accuracy_figure(by_evaluations, "Evaluations", "", what, unit, look)},
      {"step-size", "Step size over time", draw::step_size_figure(sizes, look)}};
  if (comparison.of_states) return figures;
  figures.insert(figures.begin(), {"compare", "Error and speed", draw::score_figure(scores, look)});
  figures.insert(figures.end() - 1,
                 {"energy-error", "Energy error over time", draw::energy_error_figure(errors, look)});
  return figures;
}

void write_figures(const Comparison& comparison, const fs::path& folder, const CompareArguments& arguments) {
  draw::ComparisonOptions look;
  look.theme = theme_of(arguments.look);
  look.language = language_of(arguments.look);
  look.note = fmt::format("{}, {} s", comparison.scene, number_text(comparison.duration));
  draw::Page page;
  page.title = "Methods on " + comparison.scene;
  page.note = look.note;
  page.language = arguments.look.language;
  page.command =
      "catena compare " + shell_word(*arguments.scene.scene) + " -o " + shell_word(folder.string());
  for (const NamedFigure& one : figures_of(comparison, look)) {
    const std::string file = one.file + ".png";
    draw::draw(one.figure, look.theme, (folder / file).string());
    draw::PageFigure shown;
    shown.title = one.title;
    shown.file = file;
    page.figures.push_back(std::move(shown));
  }
  write_whole((folder / "index.html").string(), draw::html(page));
}

// Steps and errors over the cases.
void write_case_figures(const Plan& plan, const std::vector<Comparison>& comparisons, const fs::path& folder,
                        const CompareArguments& arguments) {
  draw::Figure errors, steps;
  const draw::Theme theme = theme_of(arguments.look);
  // Cases that are numbers are places on the axis; others are counted, and the axis says which is which.
  const auto is_number = [](const std::string& name) {
    const auto number = leading_number(name);
    return number && number->rest.empty();
  };
  const bool numbered = std::all_of(plan.case_names.begin(), plan.case_names.end(), is_number);
  std::string axis = "case";
  for (std::size_t c = 0; !numbered && c < plan.case_names.size(); ++c)
    axis += fmt::format("{}{} {}", c == 0 ? ": " : ", ", c + 1, plan.case_names[c]);
  const auto curve_panel = [&](draw::Figure& figure, const char* title, const char* label, auto value) {
    figure.title = title;
    figure.note = plan.name;
    draw::Panel panel;
    panel.x.label = axis;
    panel.y.label = label;
    panel.y.logarithmic = true;
    for (std::size_t m = 0; m < comparisons[0].scores.size(); ++m) {
      draw::Curve curve;
      curve.name = comparisons[0].scores[m].contender.label();
      curve.colour = draw::series_colour(theme, m, comparisons[0].scores.size());
      curve.marker = draw::Marker::disc;
      for (std::size_t c = 0; c < comparisons.size(); ++c) {
        const double x = numbered ? leading_number(plan.case_names[c])->value : static_cast<double>(c + 1);
        if (const Score* score = counterpart(comparisons[0], m, comparisons[c]))
          curve.points.push_back({x, value(*score)});
      }
      panel.curves.push_back(std::move(curve));
    }
    figure.panels.push_back(std::move(panel));
  };
  curve_panel(errors, "Error at the end", "position error / m", [](const Score& s) { return s.final_error; });
  curve_panel(steps, "Steps", "steps",
              [](const Score& s) { return static_cast<double>(s.summary.counts.steps); });
  draw::draw(errors, theme, (folder / "cases-error.png").string());
  draw::draw(steps, theme, (folder / "cases-steps.png").string());
}

void write_folder(const Plan& plan, const std::vector<Comparison>& comparisons,
                  const CompareArguments& arguments) {
  const fs::path folder = *arguments.folder;
  for (std::size_t i = 0; i < comparisons.size(); ++i) {
    const fs::path own = plan.case_names.empty() ? folder : folder / plan.case_names[i];
    fs::create_directories(own);
    write_figures(comparisons[i], own, arguments);
    for (const Score* score : best_of_each(comparisons[i])) {
      const fs::path place = own / score->contender.method;
      fs::create_directories(place);
      const std::string run = (place / "run.h5").string();
      write_trajectory(plan.scenes[i], comparisons[i], *score, run);
      if (score->rows.size() < 2) continue;
      plot_into(run, place.string());
      const bool has_shape = !plan.scenes[i].by_formulas();  // something that a film can show
      if (arguments.no_video || !has_shape || interrupted().load()) continue;
      try {
        film_into(run, (place / "animation.mp4").string());
      } catch (const std::exception& error) {
        note(error.what());
      }
    }
  }
  if (!plan.case_names.empty()) write_case_figures(plan, comparisons, folder, arguments);
  Json all = Json::array();
  for (std::size_t i = 0; i < comparisons.size(); ++i) {
    all.push_back(comparison_json(comparisons[i], plan.case_names.empty() ? "" : plan.case_names[i]));
  }
  write_whole((folder / "compare.json").string(), (all.size() == 1 ? all[0] : all).dump(2) + "\n");
  write_whole((folder / "compare.csv").string(), csv_text(comparisons, plan.case_names));
}

// ---- the comparison ---------------------------------------------------------------------------------------

int perform(const CompareArguments& arguments) {
  const Plan plan = plan_of(arguments);
  watch_interrupts();
  ProgressBar bar(!arguments.quiet);
  ComparisonOptions options;
  options.keep_rows = arguments.folder.has_value();
  options.stop = &interrupted();
  std::vector<Comparison> comparisons;
  const auto cases = static_cast<double>(plan.scenes.size());
  for (const Scene& scene : plan.scenes) {
    options.progress = [&](const std::string&, std::size_t done, std::size_t all) {
      const double share = static_cast<double>(done) / static_cast<double>(all);
      bar.update(static_cast<double>(comparisons.size()) + share, cases);
    };
    comparisons.push_back(compare(scene, plan.study, options));
    if (interrupted().load()) break;
  }
  bar.clear();
  if (arguments.folder) write_folder(plan, comparisons, arguments);
  if (arguments.json) {
    Json all = Json::array();
    for (std::size_t i = 0; i < comparisons.size(); ++i) {
      all.push_back(comparison_json(comparisons[i], plan.case_names.empty() ? "" : plan.case_names[i]));
    }
    fmt::print("{}\n", (all.size() == 1 ? all[0] : all).dump(2));
  } else if (arguments.csv) {
    fmt::print("{}", csv_text(comparisons, plan.case_names));
  } else {
    for (std::size_t i = 0; i < comparisons.size(); ++i) {
      const Comparison& one = comparisons[i];
      if (!plan.case_names.empty()) fmt::print("{}case {}\n", i == 0 ? "" : "\n", plan.case_names[i]);
      fmt::print("{}{}reference: {}, itself known to {:.1e}{}\n", table_text(one), orders_text(one),
                 one.reference, one.reference_error, one.of_states ? "" : " m");
    }
    if (arguments.folder) fmt::print("wrote {}\n", (fs::path(*arguments.folder) / "index.html").string());
  }
  if (!interrupted().load()) return kDone;
  complain("interrupted; what was computed so far is shown");
  return kInterrupted;
}

}  // namespace

Command compare_command() {
  const auto arguments = std::make_shared<CompareArguments>();
  return {
      .name = "compare",
      .summary = "run a scene by several methods and say how exact and how fast each is",
      .usage = "catena compare SCENE|STUDY [--methods LIST] [options]",
      .examples = {{"catena compare double-pendulum --methods rk4,dop853,taylor",
                    "errors against a reference"},
                   {"catena compare work-precision -o out", "a study, with figures and films in a folder"},
                   {"catena compare demo --methods taylor --orders 4,8,20 --duration 2",
                    "orders of the series"},
                   {"catena compare demo --formulations tension,articulated,angles,chart --duration 2",
                    "one motion in several formulations"}},
      .operand = {.scene = true, .file = true},
      .declare =
          [arguments](Options& options) {
            const auto list = [&](const char* name, std::vector<std::string>& into, const char* text) {
              options.list(name, into, "LIST", text);
            };
            options.argument("SCENE", &arguments->scene.scene,
                             "a scene, or a study from `catena list studies`");
            list("--methods", arguments->methods, "names from `catena list methods`, with commas between");
            list("--formulations", arguments->formulations,
                 "each of these of the scene's chain, by every method; without --methods by taylor");
            list("--steps", arguments->steps, "steps for methods of fixed step. Default: 1e-2,1e-3");
            list("--tolerances", arguments->tolerances, "for the others. Default: 1e-6,1e-9,1e-12");
            list("--orders", arguments->orders, "orders of taylor");
            options.value("--duration", &arguments->scene.duration, "S", "seconds to simulate");
            options.value("--sample", &arguments->scene.sample, "S", "seconds between rows");
            options.list("--set", arguments->scene.set, "PATH=VALUE", "override anything in the scene");
            options.value("-o,--output", &arguments->folder, "DIR",
                          "folder for tables, figures, and each method's run with its plots and film");
            options.flag("--no-video", arguments->no_video, "with -o: no films");
            options.flag("--json", arguments->json, "as JSON on standard output");
            options.flag("--csv", arguments->csv, "as CSV on standard output");
            options.flag("-q,--quiet", arguments->quiet, "no progress");
            arguments->look.declare(options);
          },
      .perform = [arguments] { return perform(*arguments); },
  };
}

}  // namespace catena::cli
