// Files say which version wrote them; what a later one wrote is refused by its name.
#include "catena/base/version.h"

#include "catena/base/mistake.h"
#include "io/record/runs.h"

namespace catena::testing {
namespace {

std::string refusal_to_open(const std::string& path) {
  try {
    RunReader::open(path);
    return "";
  } catch (const InputError& error) {
    return error.what();
  }
}

// This version with `added` in its place `place`: 0 major, 1 minor, 2 patch.
std::string version_with(int place, int added) {
  std::istringstream in{std::string(this_version())};
  std::string out, part;
  for (int i = 0; std::getline(in, part, '.'); ++i)
    out += (i ? "." : "") + std::to_string(std::stoi(part) + (i == place ? added : 0));
  return out;
}

TEST(Versions, LaterOnesAreThoseWithALaterFirstOrSecondNumber) {
  EXPECT_TRUE(is_later_version(version_with(0, 1)));
  EXPECT_TRUE(is_later_version(version_with(1, 1)));
  for (const std::string& known :
       {version_with(2, 7), std::string(this_version()), std::string("0.1.0"), std::string(""),
        std::string("x.y"), std::string("12"), std::string("9x.0"), std::string("9.x")})
    EXPECT_FALSE(is_later_version(known)) << known;
}

class FilesOfLaterVersions : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Formats, FilesOfLaterVersions, ::testing::ValuesIn(run_endings()), test_name);

TEST_P(FilesOfLaterVersions, AreRefusedByName) {
  const TempFolder folder;
  const std::string path = folder / ("run" + GetParam());
  MemoryRun run = varied_run(3);
  run.run_info.version = version_with(1, 1);
  write_run(run, path);
  const std::string said = refusal_to_open(path);
  EXPECT_NE(said.find("a later version of catena wrote it: " + version_with(1, 1)), std::string::npos)
      << said;
  EXPECT_NE(said.find(this_version()), std::string::npos) << said;
  run.run_info.version = version_with(2, 1);
  write_run(run, path);
  EXPECT_EQ(refusal_to_open(path), "");
}

TEST(Versions, AJournalOfALaterOneIsRefusedToo) {
  const TempFolder folder;
  MemoryRun run = varied_run(3);
  run.run_info.version = version_with(0, 1);
  record(run, folder / "run.h5.part");
  EXPECT_NE(refusal_to_open(folder / "run.h5.part").find("a later version"), std::string::npos);
}

}  // namespace
}  // namespace catena::testing
