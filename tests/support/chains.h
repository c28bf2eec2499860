// Chains and runs that several tests need.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "catena/base/mistake.h"
#include "catena/dynamics/chain/conversion.h"
#include "catena/dynamics/chain/elastic_chain.h"
#include "catena/dynamics/chain/rigid_chain.h"
#include "catena/io/scene/scene.h"
#include "catena/lab/inside.h"
#include "catena/lab/run.h"

namespace catena::test {

inline nlohmann::json reference(const std::string& name) {
  std::ifstream file(std::string(CATENA_SOURCE_DIR) + "/tests/references/" + name + ".json");
  return nlohmann::json::parse(file);
}

inline double number(const nlohmann::json& value) {
  return value.is_string() ? std::stod(value.get<std::string>()) : value.get<double>();
}

inline ChainLinks equal_links(std::size_t n, double length = 1.0, double mass = 1.0, double center = 1.0,
                              double inertia = 0.0) {
  ChainLinks links;
  for (std::size_t k = 0; k < n; ++k) {
    links.length.push_back(length);
    links.mass.push_back(mass);
    links.center_of_mass.push_back(center);
    links.inertia.push_back(inertia);
    links.parent.push_back(static_cast<int>(k) - 1);
  }
  return links;
}

// Links of all sizes; rods with mass along them or point masses, in a chain or a tree.
inline ChainLinks random_links(std::size_t n, unsigned seed, bool rods, bool tree) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  ChainLinks links = equal_links(n);
  for (std::size_t k = 0; k < n; ++k) {
    links.length[k] = 0.5 + unit(random);
    links.mass[k] = 0.2 + 2 * unit(random);
    if (rods) {
      links.center_of_mass[k] = 0.2 + 0.8 * unit(random);
      links.inertia[k] = 0.1 * unit(random);
    }
    if (tree && k > 1) links.parent[k] = static_cast<int>(random() % (k + 1)) - 1;
  }
  return links;
}

// Unit vectors in all directions with tangent rates; in the first two components only when planar.
template <int D>
std::vector<double> random_state(std::size_t n, unsigned seed, bool planar = false) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::vector<double> x(2 * D * n, 0.0);
  for (std::size_t k = 0; k < n; ++k) {
    std::array<double, D> u{}, w{};
    for (int i = 0; i < D; ++i) {
      if (planar && i == 1) continue;
      u[i] = normal(random);
      w[i] = normal(random);
    }
    double square = 0.0, dot = 0.0;
    for (int i = 0; i < D; ++i) square += u[i] * u[i];
    for (int i = 0; i < D; ++i) u[i] /= std::sqrt(square);
    for (int i = 0; i < D; ++i) dot += u[i] * w[i];
    for (int i = 0; i < D; ++i) {
      x[i * n + k] = u[i];
      x[(D + i) * n + k] = w[i] - dot * u[i];
    }
  }
  return x;
}

// Springs of all sizes between point masses, in a chain or a tree.
inline ChainLinks random_springs(std::size_t n, unsigned seed, bool tree) {
  ChainLinks links = random_links(n, seed, false, tree);
  std::mt19937 random(seed + 1000);
  std::uniform_real_distribution<double> stiffness(5.0, 100.0);
  for (std::size_t k = 0; k < n; ++k) links.stiffness.push_back(stiffness(random));
  return links;
}

// Links in all directions, stretched and compressed by up to a third and on the move.
template <int D>
std::vector<double> random_spring_state(const ChainLinks& links, unsigned seed, bool planar = false) {
  std::mt19937 random(seed + 2000);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  const std::vector<double> directions = random_state<D>(links.count(), seed, planar);
  std::vector<double> extent, lengthening;
  for (const double length : links.length) {
    extent.push_back(length * (1 + unit(random) / 3));
    lengthening.push_back(unit(random));
  }
  return ends_of<D>(links, {directions, std::vector<double>(directions.size(), 0.0)}, extent, lengthening).hi;
}

template <int D>
std::array<double, D> down(double g = 9.81) {
  std::array<double, D> gravity{};
  gravity[D - 1] = -g;
  return gravity;
}

inline double largest(const std::vector<double>& values) {
  double out = 0.0;
  for (const double value : values) out = std::max(out, std::fabs(value));
  return out;
}

inline double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double out = a.size() == b.size() ? 0.0 : INFINITY;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) out = std::max(out, std::fabs(a[i] - b[i]));
  return out;
}

inline Scene scene_of(const std::string& toml, std::vector<std::string> overrides = {}) {
  SceneOptions options;
  options.overrides = std::move(overrides);
  return read_scene(toml, options);
}

// One of scenes/, with overrides.
inline Scene shipped_scene(const std::string& name, std::vector<std::string> overrides = {}) {
  std::ifstream file(std::string(CATENA_SOURCE_DIR) + "/scenes/" + name + ".toml");
  return scene_of({std::istreambuf_iterator<char>(file), {}}, std::move(overrides));
}

// Rows of a run in memory, by column name.
class Recorded : public RowSink {
 public:
  Recorded(const Scene& scene, const Schedule& schedule, const std::vector<std::string>& quantities = {})
      : lab_(scene), columns_(lab_.columns(quantities)) {
    std::size_t at = 0;
    for (const Stem& stem : columns_.stems()) {
      if (stem.labels.empty()) places_[stem.name] = at++;
      for (const std::string& label : stem.labels) places_[stem.name + "_" + label] = at++;
    }
    summary = run(lab_, schedule, columns_, 0, *this, {});
  }
  explicit Recorded(const Scene& scene)
      : Recorded(scene, Schedule::grid(scene.simulation.sample, scene.simulation.duration)) {}

  void row(const double* values) override { rows_.emplace_back(values, values + columns_.width()); }
  bool checkpoint_due() override { return false; }
  void checkpoint(const std::string&) override {}

  std::size_t count() const { return rows_.size(); }
  double at(std::size_t row, const std::string& column) const { return rows_.at(row).at(places_.at(column)); }
  double last(const std::string& column) const { return at(count() - 1, column); }
  bool has(const std::string& column) const { return places_.count(column) > 0; }
  std::vector<double> column(const std::string& name) const {
    std::vector<double> out;
    for (std::size_t i = 0; i < count(); ++i) out.push_back(at(i, name));
    return out;
  }
  const std::vector<std::vector<double>>& rows() const { return rows_; }

  RunSummary summary;

 private:
  Lab lab_;
  Columns columns_;
  std::map<std::string, std::size_t> places_;
  std::vector<std::vector<double>> rows_;
};

}  // namespace catena::test
