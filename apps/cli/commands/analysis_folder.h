// Where an analysis leaves its tables and figures, and how it says what it found.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "analyses.h"
#include "catena/draw/colour.h"
#include "catena/draw/plot/figure.h"
#include "catena/lab/run.h"

namespace catena::cli {

// The folder of -o, made when the first file is written into it.
class AnalysisFolder {
 public:
  // Throws InputError where it is something else than a folder.
  explicit AnalysisFolder(const std::optional<std::string>& path,
                          const draw::Theme& theme = draw::light_theme());

  bool is_wanted() const { return path_.has_value(); }
  const draw::Theme& theme() const { return theme_; }
  void write(const std::string& name, const std::string& text);
  // Rows of numbers under their names, as CSV.
  void table(const std::string& name, const std::vector<std::string>& columns,
             const std::vector<std::vector<double>>& rows);
  // As PNG and SVG.
  void figure(const std::string& name, const draw::Figure& figure);
  // The contents of a file that is there already.
  std::optional<std::string> read(const std::string& name) const;
  std::string path_of(const std::string& name) const;

 private:
  std::optional<std::string> path_;
  const draw::Theme& theme_;
};

// A figure of one panel.
draw::Figure one_panel(std::string title, std::string note, double height, draw::Panel panel);

// What an analysis found, in all the forms that it is told in.
struct Findings {
  std::string name;  // of its file, <name>.json
  AnalysisJson json;
  std::string report;  // for people
  std::vector<std::string> notes = {};
  Outcome outcome = Outcome::done;
  std::string message = {};  // what failed
};

// The one way in which analyses say what they found: <name>.json and what `write` adds (tables, figures) go
// into the folder, where one is wanted; JSON or the report to standard output, notes to standard error. What
// it is for the shell.
int presented(const Findings& found, AnalysisFolder& folder, bool as_json,
              const std::function<void(AnalysisFolder&)>& write = {});

// "0.9056(12)": a value with its standard error in units of the last digit; "0.91 +- nothing known" never.
std::string with_error(double value, double error);

// Says every note on a line of its own.
void tell(const std::vector<std::string>& notes);

// Analyses follow a motion for as long as they are told to: events that would end it are said to be ignored.
void tell_of_stops(const Scene& scene);

// What an outcome is for the shell; says on standard error what went wrong.
int status_of(Outcome outcome, const std::string& message);

// A positive number that was typed after an option. Throws InputError.
std::optional<double> positive_number(const std::optional<std::string>& typed, const std::string& option);
// Any number, or a formula without names ("3*pi").
std::optional<double> typed_number(const std::optional<std::string>& typed, const std::string& option);

}  // namespace catena::cli
