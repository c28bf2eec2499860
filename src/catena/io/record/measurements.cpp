#include "catena/io/record/measurements.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

#include "catena/base/words.h"
#include "catena/io/record/file.h"

namespace catena {
namespace {

struct Unit {
  std::string_view name, si;
  double factor;
  bool of_time = false;
};

constexpr double kDegree = std::numbers::pi / 180.0;
constexpr std::array kUnits{
    Unit{"s", "s", 1.0, true},
    Unit{"ms", "s", 1e-3, true},
    Unit{"us", "s", 1e-6, true},
    Unit{"min", "s", 60.0, true},
    Unit{"m", "m", 1.0},
    Unit{"cm", "m", 1e-2},
    Unit{"mm", "m", 1e-3},
    Unit{"um", "m", 1e-6},
    Unit{"km", "m", 1e3},
    Unit{"rad", "rad", 1.0},
    Unit{"mrad", "rad", 1e-3},
    Unit{"deg", "rad", kDegree},
    Unit{"\xC2\xB0", "rad", kDegree},
    Unit{"rad/s", "rad/s", 1.0},
    Unit{"deg/s", "rad/s", kDegree},
    Unit{"m/s", "m/s", 1.0},
    Unit{"cm/s", "m/s", 1e-2},
    Unit{"mm/s", "m/s", 1e-3},
    Unit{"kg", "kg", 1.0},
    Unit{"g", "kg", 1e-3},
    Unit{"N", "N", 1.0},
    Unit{"mN", "N", 1e-3},
    Unit{"kN", "N", 1e3},
    Unit{"J", "J", 1.0},
    Unit{"mJ", "J", 1e-3},
    Unit{"kg m/s", "kg m/s", 1.0},
    Unit{"px", "px", 1.0},
    Unit{"pixel", "px", 1.0},
    Unit{"pixels", "px", 1.0},
    Unit{"1", "1", 1.0},
};

const Unit* unit_called(std::string_view name) {
  const auto found =
      std::find_if(kUnits.begin(), kUnits.end(), [&](const Unit& unit) { return unit.name == name; });
  return found == kUnits.end() ? nullptr : &*found;
}

std::string_view unquoted(std::string_view cell) {
  cell = trimmed(cell);
  if (cell.size() >= 2 && cell.front() == '"' && cell.back() == '"') cell = cell.substr(1, cell.size() - 2);
  return trimmed(cell);
}

class Reading {
 public:
  explicit Reading(const std::string& source) { out_.source = source; }

  Measurements take(std::string_view text) {
    if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      ++line_;
      std::string_view line = text.substr(0, end);
      if (line.ends_with('\r')) line.remove_suffix(1);
      text.remove_prefix(std::min(end + 1, text.size()));
      if (trimmed(line).empty() || line.front() == '#') continue;
      has_header_ ? take_row(line) : take_header(line);
      if (hopeless_) break;
    }
    if (!has_header_) complain(0, 0, "there is no header: the first line must have the names of the columns");
    if (has_header_ && !hopeless_ && out_.times.empty()) complain(0, 0, "there are no rows of numbers");
    if (!mistakes_.empty()) throw InputError(shown());
    return std::move(out_);
  }

 private:
  void complain(int line, std::size_t offset, std::string message) {
    mistakes_.push_back(
        {{out_.source, line, line == 0 ? 0 : static_cast<int>(offset) + 1}, std::move(message)});
  }

  std::vector<Mistake> shown() {
    constexpr std::size_t kShown = 20;
    if (mistakes_.size() > kShown) {
      const std::size_t more = mistakes_.size() - kShown;
      mistakes_.resize(kShown);
      complain(0, 0, counted(more, "more mistake") + (more == 1 ? " is" : "s are") + " not shown");
    }
    return std::move(mistakes_);
  }

  template <class Visit>
  void each_cell(std::string_view line, const Visit& visit) const {
    for (std::size_t start = 0;;) {
      const std::size_t end = line.find(separator_, start);
      visit(unquoted(line.substr(start, end - start)), start);
      if (end == std::string_view::npos) return;
      start = end + 1;
    }
  }

  void take_header(std::string_view line) {
    has_header_ = true;
    out_.header_line = line_;
    for (const char candidate : {'\t', ';', ','}) {
      if (line.find(candidate) != std::string_view::npos) separator_ = candidate;
    }
    bool all_numbers = true;
    each_cell(line, [&](std::string_view cell, std::size_t offset) {
      const auto number = leading_number(cell);
      all_numbers = all_numbers && number && number->rest.empty();
      take_name(cell, offset);
    });
    if (all_numbers) {
      mistakes_.clear();
      hopeless_ = true;
      complain(line_, 0,
               "this is a row of numbers: a header with the names of the columns must stand before it, "
               "as in t,theta_1");
    } else if (!time_) {
      hopeless_ = true;
      const bool has_other = std::any_of(names_.begin(), names_.end(), [](const std::string& name) {
        return name == "time" || name == "T" || name == "Time";
      });
      complain(line_, 0,
               fmt::format("there is no column t, the time in s{}",
                           has_other ? "; call it t" : fmt::format("; there are {}", listed(names_, "and"))));
    }
  }

  // "theta_1 [deg]"
  void take_name(std::string_view cell, std::size_t offset) {
    std::string_view name = cell, unit;
    const std::size_t open = cell.find_first_of("[(");
    if (open != std::string_view::npos && (cell.back() == ']' || cell.back() == ')')) {
      name = trimmed(cell.substr(0, open));
      unit = trimmed(cell.substr(open + 1, cell.size() - open - 2));
    }
    if (name.empty()) return complain(line_, offset, "a column has no name");
    if (std::find(names_.begin(), names_.end(), name) != names_.end())
      return complain(line_, offset, fmt::format("there are two columns '{}'", name));
    const Unit* known = unit.empty() ? nullptr : unit_called(unit);
    if (!unit.empty() && known == nullptr) {
      std::vector<std::string> names;
      for (const Unit& one : kUnits) names.emplace_back(one.name);
      complain(line_, offset,
               fmt::format("the unit [{}] of '{}' is not known; known are {}", unit, name,
                           fmt::join(names, ", ")));
    } else if (known != nullptr && (name == "t") != known->of_time) {
      complain(line_, offset, fmt::format("'{}' cannot be in {}", name, unit));
    } else if (known != nullptr && known->factor != 1.0) {
      out_.notes.push_back(
          {{out_.source, line_, 1}, fmt::format("{} is in {}: taken to {}", name, unit, known->si)});
    }
    if (name == "t") time_ = names_.size();
    names_.emplace_back(name);
    factors_.push_back(known == nullptr ? 1.0 : known->factor);
    if (name == "t") return;
    out_.names.emplace_back(name);
    out_.units.emplace_back(known == nullptr ? "" : known->si);
  }

  void take_row(std::string_view line) {
    std::size_t column = 0;
    double time = std::numeric_limits<double>::quiet_NaN();
    std::vector<double> values;
    each_cell(line, [&](std::string_view cell, std::size_t offset) {
      if (column < names_.size()) {
        const double value = number_in(cell, column, offset);
        if (column == *time_) {
          time = value;
        } else {
          values.push_back(value);
        }
      }
      ++column;
    });
    if (column != names_.size() && !(column == names_.size() + 1 && trimmed(line).back() == separator_)) {
      complain(line_, 0,
               fmt::format("row {} has {} where the header has {}", out_.times.size() + 1,
                           counted(column, "cell"), names_.size()));
    }
    check_time(time);
    out_.times.push_back(time);
    out_.values.insert(out_.values.end(), values.begin(), values.end());
    out_.lines.push_back(line_);
  }

  double number_in(std::string_view cell, std::size_t column, std::size_t offset) {
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    const std::size_t row = out_.times.size() + 1;
    if (cell.empty()) {
      if (column == *time_) complain(line_, offset, fmt::format("row {} has no time", row));
      return kNone;
    }
    const auto number = leading_number(cell);
    if (number && number->rest.empty() && std::isfinite(number->value))
      return number->value * factors_[column];
    std::string lower(cell);
    for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    const bool is_nan = lower == "nan" || lower == "na" || lower == "null";
    complain(line_, offset,
             is_nan ? fmt::format("row {}: {} is {}; leave the cell empty where nothing was measured", row,
                                  names_[column], cell)
                    : fmt::format("row {}: {} is '{}', which is no number", row, names_[column], cell));
    return kNone;
  }

  void check_time(double time) {
    const std::size_t row = out_.times.size() + 1;
    if (time < 0.0)
      complain(line_, 0,
               fmt::format("row {}: t = {} lies before the motion, which starts at t = 0; count time "
                           "from its start",
                           row, number_text(time)));
    else if (!out_.times.empty() && time < out_.times.back())
      complain(line_, 0,
               fmt::format("row {}: t = {} comes after t = {}; rows must be in the order of time", row,
                           number_text(time), number_text(out_.times.back())));
  }

  Measurements out_;
  int line_ = 0;
  bool has_header_ = false, hopeless_ = false;
  char separator_ = ',';
  std::optional<std::size_t> time_;
  std::vector<std::string> names_;
  std::vector<double> factors_;
  std::vector<Mistake> mistakes_;
};

}  // namespace

Measurements measurements_from(std::string_view text, const std::string& source) {
  return Reading(source).take(text);
}

Measurements read_measurements(const std::string& path) {
  const run_files::InputFile file(path);
  std::string text(static_cast<std::size_t>(file.size()), '\0');
  text.resize(file.read(0, text.data(), text.size()));
  return measurements_from(text, path);
}

}  // namespace catena
