#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "catena/base/mistake.h"
#include "catena/base/words.h"
#include "catena/draw/plot/fit_figures.h"
#include "catena/draw/plot/page.h"
#include "catena/io/record/measurements.h"
#include "catena/io/scene/scene.h"
#include "commands/command.h"
#include "commands/look.h"
#include "fits.h"
#include "recording/recording.h"
#include "recording/scene_arguments.h"
#include "terminal/interrupt.h"
#include "terminal/messages.h"
#include "terminal/terminal.h"

namespace catena::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

struct FitArguments {
  SceneArguments scene;
  std::optional<std::string> data, folder, segments, loss;
  std::vector<std::string> free, noise, columns;
  LookArguments look;
  bool json = false, quiet = false;
};

double positive_number(const std::string& option, const std::string& word) {
  const auto number = leading_number(word);
  if (number && number->rest.empty() && number->value > 0.0 && std::isfinite(number->value))
    return number->value;
  throw InputError({option + " " + word}, fmt::format("'{}' is no positive number", word));
}

FitAsk ask_of(const FitArguments& arguments) {
  FitAsk ask;
  ask.free = split_list(arguments.free);
  ask.columns = split_list(arguments.columns);
  for (const std::string& word : split_list(arguments.noise)) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos) {
      ask.noise = positive_number("--noise", word);
    } else {
      ask.noise_of.emplace_back(word.substr(0, equals), positive_number("--noise", word.substr(equals + 1)));
    }
  }
  if (arguments.segments && *arguments.segments != "auto") {
    const double count = positive_number("--segments", *arguments.segments);
    if (count != std::floor(count) || count > 1e5)
      throw InputError({"--segments " + *arguments.segments}, "give a whole number, or auto");
    ask.segments = static_cast<int>(count);
  } else if (arguments.segments) {
    ask.segments = 0;
  }
  if (arguments.loss) {
    ask.loss = loss_called(*arguments.loss);
    if (!ask.loss) throw InputError({"--loss " + *arguments.loss}, "there are squares, huber and cauchy");
  }
  return ask;
}

void check_arguments(const FitArguments& arguments) {
  if (!arguments.scene.scene || !arguments.data)
    throw InputError({},
                     "`catena fit` needs a scene and data: catena fit pendulum.toml data.csv --free "
                     "chain.links.1.length");
  if (!arguments.folder) return;
  std::error_code ignored;
  const fs::file_status status = fs::status(*arguments.folder, ignored);
  if (fs::exists(status) && !fs::is_directory(status))
    throw InputError({*arguments.folder}, "is a file; -o names a folder");
  theme_of(arguments.look);  // mistakes are told before anything is computed
}

// ---- words
// ----------------------------------------------------------------------------------------------------

// As many digits as the error leaves, and two more.
std::string value_text(double value, double error) {
  if (!(error > 0.0) || !std::isfinite(error) || value == 0.0) return fmt::format("{:.8g}", value);
  const double digits = std::floor(std::log10(std::fabs(value))) - std::floor(std::log10(error)) + 3;
  return fmt::format("{:.{}g}", value, static_cast<int>(std::clamp(digits, 3.0, 16.0)));
}

std::string error_text(double error) { return std::isfinite(error) ? fmt::format("{:.2g}", error) : "-"; }

std::string table_text(const FitProblem& problem, const FitResult& result) {
  std::vector<std::vector<std::string>> rows{{"number", "value", "error", "95 % from", "to", "guess"}};
  for (std::size_t i = 0; i < problem.free.size(); ++i) {
    const auto& [low, high] = result.intervals[i];
    const double error = result.errors[i];
    const auto end = [&](double value) { return std::isfinite(value) ? value_text(value, error) : "-"; };
    rows.push_back({problem.free[i].path, value_text(result.values[i], error), error_text(error), end(low),
                    end(high), fmt::format("{:.6g}", problem.free[i].guess)});
  }
  std::vector<std::size_t> widths(rows[0].size(), 0);
  for (const std::vector<std::string>& row : rows) {
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
  }
  std::string out;
  for (const std::vector<std::string>& row : rows) {
    std::string line = fmt::format("{:<{}}", row[0], widths[0]);
    for (std::size_t c = 1; c < row.size(); ++c) line += fmt::format("  {:>{}}", row[c], widths[c]);
    out += line + "\n";
  }
  return out;
}

std::string findings(const FitProblem& problem, const FitResult& result) {
  std::string out;
  for (const FlatDirection& flat : result.undetermined)
    out += fmt::format("not determined by these data: {}\n", flat.text);
  for (std::size_t i = 0; i < problem.free.size(); ++i) {
    if (result.bounds[i] != 0)
      out += fmt::format("{} ended at its bound, {} = {}: it has no error; allow more if that is not meant\n",
                         problem.free[i].path, result.bounds[i] < 0 ? "low" : "high",
                         number_text(result.values[i]));
    else if (result.errors[i] > std::fabs(result.values[i]))
      out += fmt::format("{} is hardly determined: its error is larger than itself\n", problem.free[i].path);
  }
  const std::size_t count = problem.free.size();
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = i + 1; j < count; ++j) {
      const double both = result.correlation[i * count + j];
      if (std::fabs(both) > 0.98)
        out += fmt::format("{} and {} are hard to tell apart: correlation {:.4f}\n", problem.free[i].path,
                           problem.free[j].path, both);
    }
  }
  return out;
}

std::string residual_text(const FitProblem& problem, const FitResult& result) {
  std::string out;
  for (std::size_t c = 0; c < problem.observed.size() && c < result.column_rms.size(); ++c) {
    out += fmt::format("{}: residuals of {:.4g} (rms; {:.4g} with the guess), noise {:.4g} {}\n",
                       problem.observed[c].name, result.column_rms[c], result.start_rms[c], result.noise[c],
                       problem.observed[c].noise ? "as given" : "estimated");
  }
  constexpr double kWorse = 1.5;
  const double ratio = std::sqrt(result.reduced_chi_square);
  if (ratio > kWorse)
    out += fmt::format(
        "residuals are {:.3g} times the noise given: the scene does not explain the data to within it, "
        "and errors are too small\n",
        ratio);
  else if (ratio < 1.0 / kWorse)
    out += fmt::format(
        "residuals are {:.3g} times the noise given: it is smaller than was said, and errors are too "
        "large\n",
        ratio);
  out += fmt::format("{}, {} in {}, {}\n", counted(result.measurements, "measurement"),
                     counted(problem.free.size(), "number"), counted(result.cuts.size(), "segment"),
                     counted(static_cast<std::size_t>(result.iterations), "iteration"));
  return out;
}

// ---- files
// ----------------------------------------------------------------------------------------------------

std::vector<draw::FittedColumn> columns_of(const FitProblem& problem, const FitResult& result,
                                           const Measurements& data) {
  std::vector<draw::FittedColumn> out;
  const std::size_t count = problem.observed.size();
  for (std::size_t c = 0; c < count; ++c) {
    draw::FittedColumn& column = out.emplace_back();
    column.name = problem.observed[c].name;
    for (std::size_t i = 0; i < data.names.size(); ++i) {
      if (data.names[i] == column.name) column.unit = data.units[i];
    }
    column.noise = result.noise[c];
    column.times = problem.times;
    for (std::size_t row = 0; row < problem.times.size(); ++row) {
      column.measured.push_back(problem.values[row * count + c]);
      column.modelled.push_back(result.modelled[row * count + c]);
    }
  }
  return out;
}

std::string numbers_csv(const FitProblem& problem, const FitResult& result) {
  std::string out = "number,value,error,low,high,guess\n";
  const auto cell = [](double value) { return std::isfinite(value) ? number_text(value) : ""; };
  for (std::size_t i = 0; i < problem.free.size(); ++i)
    out += fmt::format("{},{},{},{},{},{}\n", problem.free[i].path, cell(result.values[i]),
                       cell(result.errors[i]), cell(result.intervals[i].first),
                       cell(result.intervals[i].second), cell(problem.free[i].guess));
  return out;
}

std::string residuals_csv(const std::vector<draw::FittedColumn>& columns) {
  std::string out = "t";
  for (const draw::FittedColumn& column : columns)
    out += fmt::format(",{0},{0}_fitted,{0}_residual", column.name);
  out += "\n";
  const auto cell = [](double value) { return std::isfinite(value) ? number_text(value) : ""; };
  for (std::size_t row = 0; row < columns[0].times.size(); ++row) {
    out += number_text(columns[0].times[row]);
    for (const draw::FittedColumn& column : columns)
      out += fmt::format(",{},{},{}", cell(column.measured[row]), cell(column.modelled[row]),
                         cell(column.measured[row] - column.modelled[row]));
    out += "\n";
  }
  return out;
}

std::string fitted_name(const FitScene& of) { return of.scene.name + "-fitted.toml"; }

void write_folder(const FitArguments& arguments, const FitScene& of, const FitProblem& problem,
                  const FitResult& result, const Measurements& data) {
  const fs::path folder = *arguments.folder;
  fs::create_directories(folder);
  const auto write = [&](const std::string& name, const std::string& text) {
    write_whole((folder / name).string(), text);
  };
  write("fit.json", Json::parse(fit_json(problem, result)).dump(2) + "\n");
  write("fit.csv", numbers_csv(problem, result));
  const FittedText fitted = fitted_text(of, problem, result);
  write(fitted_name(of), fitted.scene);
  if (fitted.is_rewritten && !arguments.quiet)
    note(fmt::format(
        "{} was written anew, without comments: not all that was fitted stands in the scene's text",
        fitted_name(of)));
  if (result.modelled.empty()) return;
  const std::vector<draw::FittedColumn> columns = columns_of(problem, result, data);
  write("residuals.csv", residuals_csv(columns));
  draw::FitLook look{theme_of(arguments.look), language_of(arguments.look), {}, result.cuts};
  look.note = fmt::format("{}, {}", of.scene.name, data.source);
  draw::Page page;
  page.title = "Fit of " + of.scene.name;
  page.note = look.note;
  page.language = arguments.look.language;
  page.command = fmt::format("catena fit {} {} -o {}", shell_word(*arguments.scene.scene),
                             shell_word(*arguments.data), shell_word(folder.string()));
  for (std::size_t i = 0; i < problem.free.size(); ++i)
    page.facts.emplace_back(problem.free[i].path,
                            fmt::format("{} \u00b1 {}", value_text(result.values[i], result.errors[i]),
                                        error_text(result.errors[i])));
  for (const auto& [name, figure] : {std::pair{"fit", draw::fit_figure(columns, look)},
                                     std::pair{"residuals", draw::residual_figure(columns, look)}}) {
    draw::PageFigure shown;
    for (const char* ending : {".png", ".svg"})
      draw::draw(figure, look.theme, (folder / name).string() + ending);
    shown.title = figure.title;
    shown.file = std::string(name) + ".png";
    shown.others = {std::string(name) + ".svg"};
    page.figures.push_back(std::move(shown));
  }
  write("index.html", draw::html(page));
}

// ---- the fit
// --------------------------------------------------------------------------------------------------

int status_of(const FitResult& result) {
  if (result.outcome == FitOutcome::interrupted) {
    complain("interrupted; the best numbers so far are shown");
    return kInterrupted;
  }
  if (result.outcome == FitOutcome::converged) return kDone;
  complain(fmt::format("the fit did not converge{}{}", result.message.empty() ? "" : ": ", result.message));
  return kFailed;
}

int perform(const FitArguments& arguments) {
  check_arguments(arguments);
  const FitAsk ask = ask_of(arguments);
  const FitScene of = find_fit(*arguments.scene.scene, arguments.scene, "--{} {}");
  const Measurements data = read_measurements(*arguments.data);
  const PreparedFit made = prepared(of, data, ask);
  print_warnings(of.scene.warnings);
  if (!arguments.quiet) {
    for (const Warning& one : made.notes) note(text(one));
  }
  watch_interrupts();
  FitControl control;
  control.stop = &interrupted();
  const bool shows = !arguments.quiet && is_terminal(Stream::err);
  control.progress = [&](int iteration, double rms) {
    if (shows) fmt::print(stderr, "\riteration {:3}  residuals {:.6g} (rms) ", iteration, rms);
  };
  const FitResult result = fit(made.problem, control);
  if (shows) fmt::print(stderr, "\r\033[K");
  print_warnings(result.warnings);
  if (arguments.folder) write_folder(arguments, of, made.problem, result, data);
  if (arguments.json) {
    fmt::print("{}\n", Json::parse(fit_json(made.problem, result)).dump(2));
  } else if (!result.modelled.empty()) {
    fmt::print("{}{}{}", table_text(made.problem, result), residual_text(made.problem, result),
               findings(made.problem, result));
    if (arguments.folder) fmt::print("wrote {}\n", (fs::path(*arguments.folder) / "index.html").string());
  }
  return status_of(result);
}

}  // namespace

Command fit_command() {
  const auto arguments = std::make_shared<FitArguments>();
  return {
      .name = "fit",
      .summary = "find numbers of a scene from measurements",
      .usage = "catena fit SCENE DATA.csv [--free PATHS] [--noise S] [-o DIR] [options]",
      .examples = {{"catena fit pendulum-video video.csv -o out", "what is free stands in the scene's [fit]"},
                   {"catena fit swing.toml angles.csv --free chain.links.1.length --noise 0.01",
                    "columns of the scene, measured with a known error"},
                   {"catena fit double.toml angles.csv --free \"chain.links.*.length\" --segments 20",
                    "a chaotic record, in segments"}},
      .operand = {.scene = true, .file = true},
      .declare =
          [arguments](Options& options) {
            options.argument(
                "SCENE", &arguments->scene.scene,
                "a file, - for standard input, or a shipped scene; or a file with [fit] and scene = \"..\"");
            options.argument("DATA.csv", &arguments->data,
                             "measurements: t and columns of the scene, or what [fit] observe names");
            options.list("--free", arguments->free, "PATHS",
                         "the numbers to find, as in chain.links.1.length,\"chain.links.*.theta\"; default: "
                         "those of [fit]");
            options.list("--noise", arguments->noise, "S",
                         "standard deviation of the data, or of columns as in u=1,v=2; default: estimated");
            options.list("--columns", arguments->columns, "LIST", "use these columns of the data alone");
            options.value("--segments", &arguments->segments, "N",
                          "cut the record into so many segments (multiple shooting), or auto. Default: auto");
            options.value(
                "--loss", &arguments->loss, "NAME",
                "what a residual costs: squares, huber or cauchy, which forgive outliers. Default: squares");
            options.list("--set", arguments->scene.set, "PATH=VALUE", "override anything in the scene");
            options.value("-o,--output", &arguments->folder, "DIR",
                          "folder for the scene with the numbers found, tables and figures");
            options.flag("--json", arguments->json, "the result as JSON on standard output");
            options.flag("-q,--quiet", arguments->quiet, "no progress, no remarks");
            arguments->look.declare(options);
          },
      .perform = [arguments] { return perform(*arguments); },
  };
}

}  // namespace catena::cli
