#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "catena/base/mistake.h"
#include "io/record/runs.h"

namespace catena::testing {
namespace {

class EveryFormat : public ::testing::TestWithParam<std::string> {
 protected:
  std::string path(const std::string& name = "run") const { return folder_ / (name + GetParam()); }

  TempFolder folder_;
};

INSTANTIATE_TEST_SUITE_P(Formats, EveryFormat, ::testing::ValuesIn(run_endings()), test_name);

TEST_P(EveryFormat, GivesBackTheSameBits) {
  MemoryRun run = varied_run(200);
  write_run(run, path());
  expect_same_run(*RunReader::open(path()), run);
}

TEST_P(EveryFormat, HoldsRunsOfNoRowsAndOfOne) {
  for (const std::size_t rows : {0u, 1u}) {
    MemoryRun run = varied_run(rows);
    write_run(run, path());
    expect_same_run(*RunReader::open(path()), run);
  }
}

TEST_P(EveryFormat, HoldsRunsThatHaveNotEnded) {
  MemoryRun run = varied_run(3);
  run.run_state = {};
  run.run_info.scene_json.clear();
  write_run(run, path());
  expect_same_run(*RunReader::open(path()), run);
}

TEST_P(EveryFormat, PassesRunsOnToEveryOtherFormat) {
  MemoryRun run = varied_run(50);
  write_run(run, path());
  for (const std::string& ending : run_endings()) {
    write_run(*RunReader::open(path()), folder_ / ("copy" + ending));
    expect_same_run(*RunReader::open(folder_ / ("copy" + ending)), run);
  }
}

TEST_P(EveryFormat, IsWrittenFromAJournal) {
  MemoryRun run = varied_run(300);
  record(run, folder_ / "run.part");
  write_run(*RunReader::open(folder_ / "run.part"), path());
  expect_same_run(*RunReader::open(path()), run);
}

TEST_P(EveryFormat, IsTheSameFileForTheSameRun) {
  MemoryRun run = varied_run(20);
  write_run(run, path("one"));
  write_run(run, path("two"));
  EXPECT_EQ(file_bytes(path("one")), file_bytes(path("two")));
}

TEST_P(EveryFormat, ReadsAnyRangeOfRows) {
  MemoryRun run = varied_run(5000);
  write_run(run, path());
  const auto reader = RunReader::open(path());
  for (const auto& [first, count] : std::vector<std::pair<std::size_t, std::size_t>>{
           {4999, 1}, {0, 1}, {1, 1}, {1023, 2}, {2500, 1100}, {10, 0}, {5000, 0}, {1024, 1}, {3, 4000}}) {
    std::vector<double> got(count * run.columns());
    std::vector<double> expected(count * run.columns());
    reader->read(first, count, got.data());
    run.read(first, count, expected.data());
    EXPECT_EQ(bits(got), bits(expected)) << first << " + " << count;
  }
}

TEST_P(EveryFormat, HoldsThousandsOfColumnsAndALargeScene) {
  MemoryRun run = varied_run(0);
  Stem wide{"z", {}};
  for (int i = 1; i <= 20000; ++i) wide.labels.push_back(fmt::format("{}", i));
  run.run_info.stems = {{"t", {}}, wide};
  run.run_info.scene_json = nlohmann::json{{"text", std::string(300'000, 'x')}}.dump();
  run.run_state.summary_json = run.run_info.scene_json;
  run.run_state.checkpoint = std::string(3'000'000, '\7');
  for (std::size_t i = 0; i < 5 * run.columns(); ++i) run.values.push_back(static_cast<double>(i) / 7);
  write_run(run, path());
  expect_same_run(*RunReader::open(path()), run);
}

TEST_P(EveryFormat, RefusesColumnsItCannotName) {
  for (const std::vector<Stem>& stems :
       std::vector<std::vector<Stem>>{{{"x", {}}},
                                      {{"t", {}}, {"a,b", {}}},
                                      {{"t", {}}, {"a/b", {}}},
                                      {{"t", {}}, {"\xff", {}}},
                                      {{"t", {}}, {"", {}}},
                                      {{"t", {}}, {"x", {"1"}}, {"x_1", {}}},
                                      {{"t", {}}, {"x", {"1"}}, {"x", {"2"}}}}) {
    MemoryRun run;
    run.run_info = {"0.1.0", "{}", stems};
    EXPECT_THROW(write_run(run, path()), InputError);
    EXPECT_THROW(Journal::create(folder_ / "run.part", run.run_info), InputError);
  }
  EXPECT_EQ(folder_.file_count(), 0u);
}

TEST(Columns, AreNamedByStemAndLabel) {
  const std::vector<Stem> stems = {{"t", {}}, {"x", {"1", "2"}}, {"x_upper", {"1"}}, {"qw", {"pivot"}}};
  EXPECT_EQ(column_names(stems), (std::vector<std::string>{"t", "x_1", "x_2", "x_upper_1", "qw_pivot"}));
}

TEST(Formats, AreKnownByTheirEndings) {
  for (const char* path : {"a.h5", "a.csv", "a.json", "b/a.npz"}) EXPECT_TRUE(is_run_format(path)) << path;
  for (const char* path : {"a.part", "a.toml", "a", "", "a.h5.tmp"})
    EXPECT_FALSE(is_run_format(path)) << path;
}

TEST(Formats, OfJsonAreWhatOtherProgramsExpect) {
  const TempFolder folder;
  MemoryRun run = varied_run(30);
  write_run(run, folder / "run.json");
  const nlohmann::json file = nlohmann::json::parse(file_bytes(folder / "run.json"));
  EXPECT_EQ(file["catena"], "0.1.0");
  EXPECT_EQ(file["scene"], nlohmann::json::parse(run.run_info.scene_json));
  EXPECT_EQ(file["summary"]["steps"], 12);
  EXPECT_EQ(file["columns"].size(), run.columns());
  EXPECT_EQ(file["columns"]["x_upper_2"].size(), 30u);
  EXPECT_TRUE(file["columns"]["px_total"][0].is_null());
}

TEST(Formats, OfJsonMayBeSortedByOtherPrograms) {
  const TempFolder folder;
  MemoryRun run = varied_run(30);
  write_run(run, folder / "run.json");
  nlohmann::json file = nlohmann::json::parse(file_bytes(folder / "run.json"));
  write_file(folder / "sorted.json", file.dump(2));
  const auto reader = RunReader::open(folder / "sorted.json");
  EXPECT_EQ(reader->info().stems, run.run_info.stems);
  EXPECT_EQ(bits(all_values(*reader)), bits(run.values));
}

TEST(Formats, OfNpzRefuseStemsWithNamesOfTheirOwn) {
  const TempFolder folder;
  MemoryRun run;
  run.run_info = {"0.1.0", "{}", {{"t", {}}, {"scene", {}}}};
  EXPECT_THROW(write_run(run, folder / "run.npz"), InputError);
  EXPECT_EQ(folder.file_count(), 0u);
  EXPECT_NO_THROW(write_run(run, folder / "run.h5"));
}

}  // namespace
}  // namespace catena::testing
