#include "recording.h"

#include <fmt/format.h>

#include "catena/base/version.h"
#include "catena/base/words.h"
#include "catena/lab/run.h"

namespace catena::web {
namespace {

// Rows as lines of CSV.
class Lines final : public RowSink {
 public:
  explicit Lines(std::size_t width) : width_(width) {}
  void row(const double* values) override {
    for (std::size_t i = 0; i < width_; ++i) text += (i == 0 ? "" : ",") + number_text(values[i]);
    text += '\n';
  }
  bool checkpoint_due() override { return false; }
  void checkpoint(const std::string&) override {}

  std::string text;

 private:
  std::size_t width_;
};

std::string header(const std::vector<Stem>& stems) {
  std::string out;
  for (const Stem& stem : stems) {
    const auto add = [&](const std::string& name) { out += (out.empty() ? "" : ",") + name; };
    if (stem.labels.empty()) add(stem.name);
    for (const std::string& label : stem.labels) add(stem.name + "_" + label);
  }
  return out + "\n";
}

}  // namespace

Recording recording_of(const Scene& scene, const std::vector<std::string>& quantities) {
  Lab lab(scene);
  const Columns columns = lab.columns(quantities);
  Lines lines(columns.width());
  const Schedule schedule = Schedule::grid(scene.simulation.sample, scene.simulation.duration);
  const std::string summary = summary_json(run(lab, schedule, columns, 0, lines, {}));
  const std::string csv = fmt::format("# catena {}\n# scene: {}\n{}{}# summary: {}\n", this_version(),
                                      scene.json, header(columns.stems()), lines.text, summary);
  return {csv, summary};
}

}  // namespace catena::web
