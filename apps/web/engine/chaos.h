// The tools of chaos as the page's workers call them: requests and answers are JSON, what is to be drawn is
// numbers in rows. Everything grows by pieces, so that a page shows it while it is computed, and a pool of
// workers shares it.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace catena::web {

class ChaosTools {
 public:
  ChaosTools();
  ~ChaosTools();
  ChaosTools(const ChaosTools&) = delete;
  ChaosTools& operator=(const ChaosTools&) = delete;

  // What a request (apps/web/src/engine/chaos-protocol.ts has them all) asks for; mistakes, where there are
  // any, as {"mistakes": [..]}.
  std::string call(const std::string& request);
  // Numbers that belong to the last answer.
  const std::vector<double>& rows() const { return rows_; }

 private:
  using Json = nlohmann::ordered_json;
  struct Command;
  static const std::vector<Command>& commands();
  Json perform(const Json& request);

  // A spectrum of exponents that grows.
  Json spectrum(const Json& request);
  Json grow(const Json& request);
  // A section by its starts.
  Json section(const Json& request);
  Json section_start(const Json& request);
  Json section_spread(const Json& request);
  Json section_follow(const Json& request);
  // Indicators of a motion and its ghosts.
  Json indicators(const Json& request);
  Json indicators_follow(const Json& request);
  // A map by its tiles.
  Json map(const Json& request);
  Json tile(const Json& request);
  Json limits(const Json& request);
  // A bifurcation diagram by its columns.
  Json bifurcation(const Json& request);
  Json column(const Json& request);
  // Small motions about the equilibrium nearest to the start, and one of them as rows.
  Json modes(const Json& request);
  Json mode(const Json& request);

  struct Spectrum;
  struct Section;
  struct Ghosts;
  struct Map;
  struct Diagram;
  struct Small;
  std::unique_ptr<Spectrum> spectrum_;
  std::unique_ptr<Section> section_;
  std::unique_ptr<Ghosts> ghosts_;
  std::unique_ptr<Map> map_;
  std::unique_ptr<Diagram> diagram_;
  std::unique_ptr<Small> small_;
  std::vector<double> rows_;
};

}  // namespace catena::web
