#include <random>

#include "catena/base/mistake.h"
#include "io/record/runs.h"

#if defined(__SANITIZE_ADDRESS__)
// HDF5 itself leaks when it gives up on a damaged file.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() { return "leak:libhdf5"; }
#endif

namespace catena::testing {
namespace {

const std::vector<std::string>& file_endings() {
  static const std::vector<std::string> endings = {".h5", ".csv", ".json", ".npz", ".part"};
  return endings;
}

class DamagedFile : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    const std::string path = folder_ / ("whole" + GetParam());
    if (GetParam() == ".part") {
      record(run_, path);
    } else {
      write_run(run_, path);
    }
    whole_ = file_bytes(path);
  }

  // Whether reading succeeds; anything but success or an InputError that names the file fails the test.
  bool reads(std::string_view bytes) {
    write_file(path_, bytes);
    try {
      const auto reader = RunReader::open(path_);
      const std::vector<double> values = all_values(*reader);
      CsvStream copy([](std::string_view) {}, reader->info());  // what was accepted can be written, too
      for (std::size_t row = 0; row < reader->rows(); ++row) {
        copy.append(values.data() + row * (values.size() / reader->rows()));
      }
      copy.finish(reader->state());
      return true;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(path_), std::string::npos) << error.what();
      return false;
    }
  }

  TempFolder folder_;
  MemoryRun run_ = varied_run(12);
  std::string path_ = folder_ / ("damaged" + GetParam());
  std::string whole_;
};

INSTANTIATE_TEST_SUITE_P(Formats, DamagedFile, ::testing::ValuesIn(file_endings()), test_name);

TEST_P(DamagedFile, CutOffAnywhereIsRefusedOrReadUpToThere) {
  const std::size_t stride = std::max<std::size_t>(1, whole_.size() / 400);
  for (std::size_t length = 0; length < whole_.size(); length += stride) {
    const bool success = reads(std::string_view(whole_).substr(0, length));
    const bool may_be_shorter = GetParam() == ".csv" || GetParam() == ".part";
    if (success && !may_be_shorter) expect_same_run(*RunReader::open(path_), run_);
  }
  EXPECT_TRUE(reads(whole_));
}

TEST_P(DamagedFile, WithRandomBytesIsRefusedOrRead) {
  std::mt19937 random(20240607);
  for (int i = 0; i < 600; ++i) {
    std::string bytes = whole_;
    const int changes = 1 + i % 3;
    for (int k = 0; k < changes; ++k) bytes[random() % bytes.size()] = static_cast<char>(random());
    reads(bytes);
  }
}

TEST_P(DamagedFile, WithAStretchOfZerosIsRefusedOrRead) {
  std::mt19937 random(7);
  for (int i = 0; i < 100; ++i) {
    std::string bytes = whole_;
    const std::size_t first = random() % bytes.size();
    const std::size_t count = std::min<std::size_t>(random() % 200, bytes.size() - first);
    bytes.replace(first, count, count, '\0');
    reads(bytes);
  }
}

TEST_P(DamagedFile, IsRefusedWhenItIsAnotherFileOrAFolder) {
  EXPECT_FALSE(reads(""));
  EXPECT_FALSE(reads("\0"));
  EXPECT_FALSE(reads("[1, 2, 3]"));
  EXPECT_FALSE(reads("{}"));
  EXPECT_FALSE(reads("{\"columns\": {\"t\": [1, [2]]}}"));
  EXPECT_FALSE(reads("{\"columns\": {\"t\": [1], \"x\": []}}"));
  EXPECT_FALSE(reads("{\"columns\": {\"t\": 1}}"));
  EXPECT_FALSE(reads("{\"columns\": [1]}"));
  EXPECT_FALSE(reads("3"));
  std::filesystem::remove(path_);
  EXPECT_THROW(RunReader::open(path_), InputError);
  std::filesystem::create_directory(path_);
  EXPECT_THROW(RunReader::open(path_), InputError);
}

TEST_P(DamagedFile, WithAChangedNumberIsNoticedWhereFilesHaveChecksums) {
  if (GetParam() == ".csv" || GetParam() == ".json") return;  // plain text has none
  const double wanted = run_.values[5 * run_.columns() + 2];
  const std::string pattern(reinterpret_cast<const char*>(&wanted), sizeof wanted);
  const std::size_t found = whole_.find(pattern);
  ASSERT_NE(found, std::string::npos);
  std::string bytes = whole_;
  bytes[found + 3] = static_cast<char>(bytes[found + 3] ^ 1);
  write_file(path_, bytes);
  if (GetParam() == ".part") {
    EXPECT_EQ(RunReader::open(path_)->rows(), 0u);
  } else {
    EXPECT_FALSE(reads(bytes));
  }
}

}  // namespace
}  // namespace catena::testing
