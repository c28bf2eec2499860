#include <string>

#include "catena/analyze/tangent_frame.h"
#include "catena/io/scene/scene.h"
#include "catena/lab/lab.h"
#include "spectrum.h"

namespace bench {
namespace {

// The sum of growth keeps the work from being left out.
double spectrum(const catena::Scene& scene, double duration, std::int64_t& steps) {
  catena::Lab lab(scene);
  catena::TangentFrame frame(lab, 0, 1);
  double sum = 0.0;
  while (lab.time() < duration && frame.advance() == catena::StepStatus::done) sum += frame.growth()[0];
  steps = lab.counts().steps;
  return sum / lab.time();
}

void measure(const char* problem, const std::string& text, double duration, const Options& options) {
  if (!options.wants(problem)) return;
  const catena::Scene scene = catena::read_scene(text, {});
  std::int64_t steps = 0;
  double exponent = 0.0;
  const double seconds = best_seconds([&] { exponent = spectrum(scene, duration, steps); }, options);
  std::printf(
      "{\"peer\": \"catena\", \"problem\": \"%s\", \"seconds\": %.9g, \"steps\": %lld, \"note\": \"largest "
      "exponent "
      "%.3f 1/s, %.0f times as fast as the motion\"}\n",
      problem, seconds, static_cast<long long>(steps), exponent, duration / seconds);
  std::fflush(stdout);
}

}  // namespace

void measure_spectra(const Options& options) {
  const std::string link = "[[chain.links]]\nlength = 1\nmass = 1\ntheta = \"90 deg\"\n";
  measure("double-pendulum-spectrum", "[simulation]\nduration = 200\ntolerance = 1e-12\n" + link + link,
          200.0, options);
  measure("spatial-chain-spectrum",
          "[simulation]\nduration = 10\ntolerance = 1e-12\n" + link + "phi_dot = 1.0\nrepeat = 10\n", 10.0,
          options);
}

}  // namespace bench
