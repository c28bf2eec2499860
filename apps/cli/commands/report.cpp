#include "commands/report.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "catena/base/words.h"

namespace catena::cli {
namespace {

constexpr double kLargeRecording = 1e9;  // bytes

// Two digits that count, without exponents in the range people read: 0.012, 3.4, 1700.
std::string rounded(double value) {
  if (!(value > 0.0) || value >= 1e15) return fmt::format("{:.2g}", value);
  const double unit = std::pow(10.0, std::floor(std::log10(value)) - 1);
  const double clean = std::round(value / unit) * unit;
  return clean >= 10.0 ? fmt::format("{:.0f}", clean) : fmt::format("{:.2g}", clean);
}

}  // namespace

std::string parts_text(const WorldFacts& facts) {
  if (const auto& given = facts.lagrangian) {
    const std::string coordinates = counted(given->coordinates.size(), "coordinate");
    return given->constraints == 0 ? coordinates
                                   : coordinates + ", " + counted(given->constraints, "constraint");
  }
  if (const auto& given = facts.equations) {
    const std::string states = counted(given->states.size(), "state");
    return given->invariants.empty() ? states
                                     : states + ", " + counted(given->invariants.size(), "invariant");
  }
  const std::size_t links = facts.links();
  if (!facts.mechanism || facts.mechanism->shown_bodies == 0) return counted(links, "link");
  const std::string both =
      counted(facts.mechanism->shown_bodies, "body") + ", " + counted(facts.mechanism->shown_joints, "joint");
  return links == 0 ? both : counted(links, "link") + ", " + both;
}

std::string size_text(double bytes) {
  constexpr std::array kUnits = {"bytes", "kB", "MB", "GB", "TB", "PB"};
  std::size_t unit = 0;
  for (; bytes >= 999.5 && unit + 1 < kUnits.size(); ++unit) bytes /= 1000;
  return fmt::format("{:.{}f} {}", bytes, unit > 0 && bytes < 9.95 ? 1 : 0, kUnits[unit]);
}

double recording_bytes(const Schedule& schedule, const Columns& columns) {
  return static_cast<double>(schedule.count()) * static_cast<double>(columns.width()) * sizeof(double);
}

std::string run_report(const Lab& lab, const RunSummary& summary, double first_time) {
  const double simulated = summary.simulated_seconds - first_time;
  const std::string span = first_time > 0.0 ? fmt::format("{} to {} s", time_text(first_time),
                                                          time_text(summary.simulated_seconds))
                                            : time_text(simulated) + " s";
  const bool has_speed = summary.wall_seconds > 0.0 && simulated > 0.0;
  const std::string speed =
      has_speed ? fmt::format(" ({} times real time)", rounded(simulated / summary.wall_seconds)) : "";
  const WorldFacts facts = lab.facts();
  // Systems of equations have neither.
  const std::string freedom = facts.equations ? ""
                              : summary.degrees_of_freedom == 1
                                  ? ", 1 degree of freedom"
                                  : fmt::format(", {} degrees of freedom", summary.degrees_of_freedom);
  const std::string energy =
      facts.equations ? ""
                      : fmt::format("; energy held to {:.1e} of its scale", summary.energy_error_relative);
  return fmt::format(
      "{}: {}{}, {} simulated in {} s{}\n"
      "{} of order {}, {}{}\n{}",
      summary.scene, parts_text(facts), freedom, span, rounded(summary.wall_seconds), speed, summary.method,
      summary.order, counted(static_cast<std::size_t>(summary.counts.steps), "step"), energy,
      summary.advice.empty() ? "" : summary.advice + "\n");
}

std::string events_report(const RunSummary& summary) {
  std::string out;
  for (const EventTable& table : summary.events) {
    const std::size_t count = table.rows.size();
    std::string times;
    for (std::size_t i = 0; i < std::min<std::size_t>(count, 4); ++i) {
      times += fmt::format("{}{:.9g}", i == 0 ? " at t = " : ", ", table.rows[i][0]);
    }
    if (count > 5) times += ", ..";
    if (count > 4) times += fmt::format(", {:.9g}", table.rows.back()[0]);
    out += fmt::format("{}: {}{}\n", table.name, counted(count, "event"), times.empty() ? "" : times + " s");
  }
  return out;
}

std::string pretty_json(const std::string& json) {
  const auto parsed = nlohmann::ordered_json::parse(json, nullptr, false);
  return parsed.is_discarded() ? json : parsed.dump(2);
}

std::string size_warning(const Schedule& schedule, const Columns& columns, const Lab& lab) {
  const double bytes = recording_bytes(schedule, columns);
  if (bytes <= kLargeRecording) return "";
  const Columns fewer = lab.columns({"position", "energy"});
  const std::string remedy =
      fewer.width() < columns.width()
          ? fmt::format("--quantities position,energy would make it {}, a larger --sample less too",
                        size_text(recording_bytes(schedule, fewer)))
          : "a larger --sample would make it less";
  return fmt::format("this records about {} ({} of {}); {}", size_text(bytes),
                     counted(schedule.count(), "row"), counted(columns.width(), "column"), remedy);
}

}  // namespace catena::cli
