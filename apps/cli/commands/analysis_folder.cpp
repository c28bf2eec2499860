#include "commands/analysis_folder.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "catena/base/mistake.h"
#include "catena/base/words.h"
#include "catena/expr/evaluate.h"
#include "catena/expr/parse.h"
#include "commands/command.h"
#include "recording/recording.h"
#include "terminal/interrupt.h"
#include "terminal/messages.h"

namespace catena::cli {

namespace fs = std::filesystem;

AnalysisFolder::AnalysisFolder(const std::optional<std::string>& path, const draw::Theme& theme)
    : path_(path), theme_(theme) {
  std::error_code ignored;
  if (path_ && fs::exists(*path_, ignored) && !fs::is_directory(*path_, ignored))
    throw InputError({"-o " + *path_}, "this is a file; -o wants a folder");
}

std::string AnalysisFolder::path_of(const std::string& name) const {
  return path_ ? (fs::path(*path_) / name).string() : "";
}

void AnalysisFolder::write(const std::string& name, const std::string& text) {
  if (!path_) return;
  fs::create_directories(*path_);
  write_whole(path_of(name), text);
}

void AnalysisFolder::table(const std::string& name, const std::vector<std::string>& columns,
                           const std::vector<std::vector<double>>& rows) {
  std::string text = fmt::format("{}\n", fmt::join(columns, ","));
  for (const std::vector<double>& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) text += (i > 0 ? "," : "") + number_text(row[i]);
    text += "\n";
  }
  write(name, text);
}

void AnalysisFolder::figure(const std::string& name, const draw::Figure& figure) {
  if (!path_) return;
  fs::create_directories(*path_);
  for (const char* const format : {".png", ".svg"}) draw::draw(figure, theme_, path_of(name + format));
}

std::optional<std::string> AnalysisFolder::read(const std::string& name) const {
  if (!path_) return std::nullopt;
  std::ifstream in(path_of(name), std::ios::binary);
  if (!in) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(in), {});
}

draw::Figure one_panel(std::string title, std::string note, double height, draw::Panel panel) {
  draw::Figure out;
  out.title = std::move(title);
  out.note = std::move(note);
  out.panel_height = height;
  out.panels.push_back(std::move(panel));
  return out;
}

int presented(const Findings& found, AnalysisFolder& folder, bool as_json,
              const std::function<void(AnalysisFolder&)>& write) {
  const std::string json = found.json.dump(2) + "\n";
  fmt::print("{}", as_json ? json : found.report);
  std::fflush(stdout);  // before notes, and before films, which take their time
  tell(found.notes);
  folder.write(found.name + ".json", json);
  if (write && folder.is_wanted()) write(folder);
  const bool is_cut = found.outcome == Outcome::done && interrupted().load();
  return status_of(is_cut ? Outcome::interrupted : found.outcome, found.message);
}

std::string with_error(double value, double error) {
  if (!std::isfinite(value)) return "-";
  if (!std::isfinite(error)) return fmt::format("{:.3g}, error unknown", value);
  if (!(error > 0.0)) return fmt::format("{:.10g}", value);
  const int digits = std::max(0, 1 - static_cast<int>(std::floor(std::log10(error))));
  if (digits > 15) return fmt::format("{:.15g}", value);
  return fmt::format("{:.{}f} +- {:.{}f}", value, digits, error, digits);
}

void tell(const std::vector<std::string>& notes) {
  for (const std::string& one : notes) note(one);
}

void tell_of_stops(const Scene& scene) {
  for (const Event& event : scene.events) {
    if (event.stop > 0) note(fmt::format("event '{}' does not end the motion here", event.name));
  }
}

int status_of(Outcome outcome, const std::string& message) {
  if (outcome == Outcome::failed) {
    complain(message);
    return kFailed;
  }
  if (outcome != Outcome::interrupted) return kDone;
  complain("interrupted; what was computed so far is shown");
  return kInterrupted;
}

std::optional<double> typed_number(const std::optional<std::string>& typed, const std::string& option) {
  if (!typed) return std::nullopt;
  expr::Graph graph;
  const expr::Parsed parsed = expr::parse(graph, *typed, {});
  if (!parsed) throw InputError({option + " " + *typed}, parsed.mistakes.front().message);
  expr::Program program(graph, {parsed.node}, 0);
  double out = 0.0;
  program.evaluate(nullptr, 1, &out);
  if (!std::isfinite(out)) throw InputError({option + " " + *typed}, "this is not a finite number");
  return out;
}

std::optional<double> positive_number(const std::optional<std::string>& typed, const std::string& option) {
  const std::optional<double> out = typed_number(typed, option);
  if (out && !(*out > 0.0)) throw InputError({option + " " + *typed}, "must be positive");
  return out;
}

}  // namespace catena::cli
