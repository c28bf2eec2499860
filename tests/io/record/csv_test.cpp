#include "catena/base/mistake.h"
#include "io/record/runs.h"

namespace catena::testing {
namespace {

class Csv : public ::testing::Test {
 protected:
  std::unique_ptr<RunReader> opened(std::string_view text) const {
    write_file(path_, text);
    return RunReader::open(path_);
  }
  std::string complaint(std::string_view text) const {
    try {
      all_values(*opened(text));
    } catch (const InputError& error) {
      return error.what();
    }
    return "none";
  }

  TempFolder folder_;
  std::string path_ = folder_ / "run.csv";
};

TEST_F(Csv, FindsStemsFromAHeaderAlone) {
  const auto reader = opened("t,x_1,x_2,x_3,y_upper_1,y_upper_2,theta_dot,qw_2,z_1,z_3,energy\n");
  EXPECT_EQ(reader->info().stems, (std::vector<Stem>{{"t", {}},
                                                     {"x", {"1", "2", "3"}},
                                                     {"y_upper", {"1", "2"}},
                                                     {"theta_dot", {}},
                                                     {"qw_2", {}},
                                                     {"z", {"1"}},
                                                     {"z_3", {}},
                                                     {"energy", {}}}));
}

TEST_F(Csv, OfOtherProgramsMayHaveCarriageReturnsSpacesAndComments) {
  const auto reader = opened("\xef\xbb\xbft, x_1\r\n# a note\r\n0, +1.5\r\n\r\n1,nan\r\n2,-inf");
  ASSERT_EQ(reader->rows(), 3u);
  const std::vector<double> values = all_values(*reader);
  EXPECT_EQ(values[1], 1.5);
  EXPECT_TRUE(std::isnan(values[3]));
  EXPECT_EQ(values[5], -std::numeric_limits<double>::infinity());
}

TEST_F(Csv, HasCommentsAroundTheRows) {
  MemoryRun run;
  run.run_info = {"0.1.0", R"({"a":1})", {{"t", {}}, {"x", {"1", "2"}}}};
  run.run_state = {R"({"steps":3})", "ok"};
  run.values = {0, 0.1, -0.0, 1, std::nan(""), 1e300};
  write_run(run, path_);
  EXPECT_EQ(file_bytes(path_),
            "# catena 0.1.0\n# scene: {\"a\":1}\n# stems: [[\"t\"],[\"x\",\"1\",\"2\"]]\nt,x_1,x_2\n"
            "0,0.1,-0\n1,nan,1e+300\n# summary: {\"steps\":3}\n# checkpoint: b2s=\n");
}

TEST_F(Csv, NamesTheLineOfAMistake) {
  EXPECT_EQ(complaint("t,x\n0,1\n# note\n1,abc\n"), path_ + ":4:3: expected a number, got 'abc'");
  EXPECT_EQ(complaint("t,x\n0,1\n1\n"), path_ + ":3:1: this row has 1 columns, the header has 2");
  EXPECT_EQ(complaint("t,x\n0,1,2\n"), path_ + ":2:1: this row has 3 columns, the header has 2");
  EXPECT_EQ(complaint("t,x\n0,\n"), path_ + ":2:3: expected a number, got ''");
  EXPECT_EQ(complaint("# catena 0.1.0\nt,x\n0,1\n1,2.345"), path_ + ":4:1: the file is cut off in this row");
  EXPECT_EQ(complaint("# scene: {\"a\"\nt\n"), path_ + ":1:1: the JSON in this line is cut off or damaged");
  EXPECT_EQ(complaint("# only comments\n"), path_ + ": is no recorded run: it has no header line");
  EXPECT_EQ(complaint("name,age\nann,3\n"), path_ + ": is no recorded run: its first column must be 't'");
}

TEST_F(Csv, StreamsRowsAsTheyCome) {
  MemoryRun run = varied_run(400);
  std::string text;
  std::size_t calls = 0;
  CsvStream stream(
      [&](std::string_view part) {
        text += part;
        ++calls;
      },
      run.run_info);
  EXPECT_NE(text.find("\nt,x_1,"), std::string::npos);
  for (std::size_t row = 0; row < run.rows(); ++row) stream.append(run.values.data() + row * run.columns());
  stream.finish(run.run_state);
  EXPECT_LT(calls, 30u);
  expect_same_run(*opened(text), run);
}

TEST_F(Csv, DropsTheSignThatProcessorsGiveToNan) {
  MemoryRun run;
  run.run_info = {"0.1.0", "{}", {{"t", {}}}};
  run.values = {-std::nan("")};
  write_run(run, path_);
  EXPECT_NE(file_bytes(path_).find("\nnan\n"), std::string::npos);
}

}  // namespace
}  // namespace catena::testing
