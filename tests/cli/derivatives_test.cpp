// Derivatives by the command line: what files hold, runs in two parts, and what is refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/program.h"

namespace catena::testing {
namespace {

using Json = nlohmann::json;

class CliDerivatives : public Workplace {
 protected:
  static std::vector<double> all_rows(RunReader& reader) {
    std::vector<double> rows(reader.rows() * column_names(reader.info().stems).size());
    reader.read(0, reader.rows(), rows.data());
    return rows;
  }
  std::vector<double> rows_of(const std::string& file) {
    return all_rows(*RunReader::open(path(file).string()));
  }
  void expect_refusal(const std::string& scene, const std::string& paths, const std::string& said) {
    const Result result =
        catena({"run", scene, "-o", "refused.csv", "--duration", "1", "--derivatives", paths});
    EXPECT_EQ(result.status, 2) << paths;
    EXPECT_NE(result.err.find(said), std::string::npos) << result.err;
    EXPECT_FALSE(std::filesystem::exists(path("refused.csv")));
  }
};

TEST_F(CliDerivatives, StandBehindTheColumnsOfEveryFormat) {
  const Result run = catena({"run", "double-pendulum", "--duration", "2", "--sample", "0.5", "--quantities",
                             "theta,energy", "--derivatives", "chain.links.1.length,chain.links.*.theta",
                             "--json", "-o", "a.csv", "-o", "a.h5", "-o", "a.npz", "-o", "a.json"});
  ASSERT_EQ(run.status, 0) << run.err;
  const Json summary = Json::parse(run.out);
  EXPECT_EQ(summary["derivatives"],
            Json::array({"chain.links.1.length", "chain.links.1.theta", "chain.links.2.theta"}));
  const auto csv = RunReader::open(path("a.csv").string());
  EXPECT_EQ(column_names(csv->info().stems),
            (std::vector<std::string>{"t", "theta_1", "theta_2", "energy", "d1_theta_1", "d2_theta_1",
                                      "d3_theta_1", "d1_theta_2", "d2_theta_2", "d3_theta_2", "d1_energy",
                                      "d2_energy", "d3_energy"}));
  const std::vector<double> rows = all_rows(*csv);
  for (const char* file : {"a.h5", "a.npz", "a.json"}) {
    const auto reader = RunReader::open(path(file).string());
    EXPECT_EQ(reader->info().stems, csv->info().stems) << file;
    EXPECT_EQ(all_rows(*reader), rows) << file;
  }
  EXPECT_NEAR(rows[5], 1.0, 1e-12);  // d theta_1 / d theta_1 at the start
  EXPECT_NEAR(rows[6], 0.0, 1e-12);
}

TEST_F(CliDerivatives, GoOnWithTheSameBits) {
  const Words what{"--quantities", "position", "--derivatives", "bodies.coupler.mass,simulation.gravity"};
  const auto run = [&](Words words) {
    words.insert(words.end(), what.begin(), what.end());
    const Result result = catena(words);
    EXPECT_EQ(result.status, 0) << result.err;
  };
  run({"run", "four-bar", "-q", "--sample", "0.05", "--duration", "0.5", "-o", "whole.h5"});
  run({"run", "four-bar", "-q", "--sample", "0.05", "--duration", "0.2", "-o", "part.h5"});
  ASSERT_EQ(catena({"run", "--resume", "part.h5", "--duration", "0.5", "-q"}).status, 0);
  EXPECT_EQ(rows_of("part.h5"), rows_of("whole.h5"));
}

// Out of the plane that the chain would be computed in: in space.
TEST_F(CliDerivatives, LeadOutOfThePlane) {
  const Result run = catena({"run", "pendulum", "--duration", "1", "--sample", "0.5", "--quantities", "x,y",
                             "--derivatives", "chain.links.1.phi", "-q", "-o", "a.csv"});
  ASSERT_EQ(run.status, 0) << run.err;
  const std::vector<double> rows = rows_of("a.csv");
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(rows[5 * i + 4], rows[5 * i + 1], 1e-12);   // dy/dphi = x
    EXPECT_NEAR(rows[5 * i + 3], -rows[5 * i + 2], 1e-12);  // dx/dphi = -y
  }
}

TEST_F(CliDerivatives, NumbersWithoutInfluenceAreTold) {
  const Result run = catena({"run", "pendulum", "--duration", "1", "--quantities", "x", "--derivatives",
                             "simulation.sample,chain.links.1.length", "-q", "-o", "a.csv"});
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_NE(run.err.find("simulation.sample has no influence on the motion"), std::string::npos) << run.err;
  EXPECT_EQ(run.err.find("chain.links.1.length"), std::string::npos) << run.err;
}

TEST_F(CliDerivatives, WhatIsNoNumberIsRefusedByName) {
  expect_refusal("double-pendulum", "chain.links.1.lenght", "did you mean 'length'?");
  expect_refusal("double-pendulum", "chain.links.3.length", "there is no item 3 in chain.links (it has 2)");
  expect_refusal("four-bar", "bodies.copler.mass", "did you mean 'coupler'?");
  expect_refusal("four-bar", "joints.1.kind", "not a number");
  expect_refusal("whip", "chain.links.1.repeat", "must be a whole number");
  const Result by_method = catena({"run", "pendulum", "--method", "gauss4", "--step", "0.01", "-o",
                                   "refused.csv", "--derivatives", "chain.links.1.length"});
  EXPECT_EQ(by_method.status, 2);
  EXPECT_NE(by_method.err.find("not by gauss4"), std::string::npos);
}

}  // namespace
}  // namespace catena::testing
