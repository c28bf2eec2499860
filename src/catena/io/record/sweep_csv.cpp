// Sweeps as CSV, for small ones: a line for each case, with the numbers of its axes, its measures, its status
// and why it failed.
#include <fmt/format.h>

#include <cmath>
#include <fstream>

#include "catena/base/mistake.h"
#include "catena/base/words.h"
#include "catena/io/record/file.h"
#include "catena/io/record/sweep_layout.h"

namespace catena::run_files {
namespace {

std::vector<std::string> header_of(const SweepFile& sweep) {
  std::vector<std::string> out;
  for (const SweepAxisValues& axis : sweep.info.axes) {
    if (axis.width == 1) out.push_back(axis.name);
    for (std::size_t i = 0; i < axis.width && axis.width > 1; ++i)
      out.push_back(fmt::format("{}_{}", axis.name, i + 1));
  }
  out.insert(out.end(), sweep.results.names.begin(), sweep.results.names.end());
  out.emplace_back("status");
  out.emplace_back("reason");
  return out;
}

// "a ""quoted"" text"
std::string csv_text(const std::string& text) {
  if (text.empty()) return "";
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c == '\n' ? ' ' : c;
  }
  return out + "\"";
}

std::vector<std::size_t> places(const SweepFile& sweep, std::uint64_t index) {
  std::vector<std::size_t> out(sweep.info.extents.size());
  for (std::size_t e = out.size(); e-- > 0;) {
    out[e] = index % sweep.info.extents[e].count;
    index /= sweep.info.extents[e].count;
  }
  return out;
}

std::string line_of(const SweepFile& sweep, std::uint64_t i, const std::string& reason) {
  const std::vector<std::size_t> at = places(sweep, sweep.results.first + i);
  std::string out;
  for (const SweepAxisValues& axis : sweep.info.axes) {
    for (std::size_t k = 0; k < axis.width; ++k)
      out += number_text(axis.values[at[axis.extent] * axis.width + k]) + ",";
  }
  for (const std::vector<double>& measure : sweep.results.measures) out += number_text(measure[i]) + ",";
  return out + fmt::format("{},{}\n", static_cast<int>(sweep.results.status[i]), csv_text(reason));
}

std::string rest_of(const std::string& path, const std::string& line, std::string_view beginning) {
  if (!line.starts_with(beginning))
    throw InputError({path},
                     fmt::format("is no file of a sweep: a line '{}' is missing", trimmed(beginning)));
  return line.substr(beginning.size());
}

// The numbers of a line up to and with the status.
std::vector<double> numbers_of(const std::string& path, std::string_view line, std::size_t count) {
  std::vector<double> out;
  while (out.size() < count) {
    const std::size_t end = std::min(line.find(','), line.size());
    const std::string_view word = line.substr(0, end);
    const auto number = leading_number(word);
    if (number) {
      out.push_back(number->value);
    } else if (word == "nan" || word == "-nan") {
      out.push_back(std::nan(""));
    } else if (word == "inf" || word == "-inf") {
      out.push_back(word[0] == '-' ? -INFINITY : INFINITY);
    } else {
      throw InputError({path}, fmt::format("has '{}' where a number should be", word.substr(0, 40)));
    }
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return out;
}

}  // namespace

void write_sweep_csv(const SweepFile& sweep, const std::string& path) {
  OutputFile out(path);
  const SweepInfo& info = sweep.info;
  out.write(fmt::format("# catena {}\n# plan: {}\n# scene: {}\n# layout: {}\n{}\n", info.version,
                        info.plan_json, info.scene_json, layout_json(sweep),
                        fmt::join(header_of(sweep), ",")));
  std::string block;
  auto reason = sweep.results.reasons.begin();
  for (std::uint64_t i = 0; i < sweep.results.count; ++i) {
    const bool has_reason = reason != sweep.results.reasons.end() && reason->index == sweep.results.first + i;
    block += line_of(sweep, i, has_reason ? reason->text : "");
    if (has_reason) ++reason;
    if (block.size() < (std::size_t{1} << 20)) continue;
    out.write(block);
    block.clear();
  }
  out.write(block);
  out.write(
      fmt::format("# reasons: {}\n# summary: {}\n", reasons_json(sweep.results.reasons), info.summary_json));
  out.close();
}

SweepFile read_sweep_csv(const std::string& path) {
  std::ifstream in(path);
  if (!in) throw InputError({path}, "cannot be opened");
  SweepFile out;
  std::string line;
  const auto next = [&](std::string_view beginning) {
    if (!std::getline(in, line)) line.clear();
    return rest_of(path, line, beginning);
  };
  out.info.version = next("# catena ");
  out.info.plan_json = next("# plan: ");
  out.info.scene_json = next("# scene: ");
  take_layout(path, next("# layout: "), out);
  SweepResults& results = out.results;
  std::size_t numbers = results.names.size() + 1, axes = 0;
  for (SweepAxisValues& axis : out.info.axes) {
    axis.values.resize(out.info.extents[axis.extent].count * axis.width);
    axes += axis.width;
  }
  numbers += axes;
  results.measures.assign(results.names.size(), std::vector<double>(results.count));
  results.status.resize(results.count);
  next("");  // the header
  for (std::uint64_t i = 0; i < results.count; ++i) {
    const std::vector<double> row = numbers_of(path, next(""), numbers);
    const std::vector<std::size_t> at = places(out, results.first + i);
    std::size_t column = 0;
    for (SweepAxisValues& axis : out.info.axes) {
      for (std::size_t k = 0; k < axis.width; ++k)
        axis.values[at[axis.extent] * axis.width + k] = row[column++];
    }
    for (std::vector<double>& measure : results.measures) measure[i] = row[column++];
    results.status[i] = static_cast<CaseStatus>(static_cast<int>(row[column]));
  }
  results.reasons = reasons_from_json(path, next("# reasons: "));
  out.info.summary_json = next("# summary: ");
  return out;
}

}  // namespace catena::run_files
