// Keeps the rows of a run: in the journal beside the first file, and on standard output as they come. The
// files are made from the journal at the end.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "catena/io/record/record.h"
#include "catena/lab/run.h"
#include "recording/outputs.h"

namespace catena::cli {

// A run whose rows are safe in the journal, though the files could not be made.
class RecordingError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Recorder : public RowSink {
 public:
  // Creates the journal, or overwrites the one that is there. Throws InputError when it cannot be created,
  // NoRoom when the disk is full.
  Recorder(Outputs outputs, const RunInfo& info, bool resumes);
  ~Recorder() override;
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  // Takes over the first rows of an earlier recording, and how it went on. Only then does the journal get its
  // name, which may be that of the earlier recording: one of them is whole at any moment. Leaves nothing
  // behind when that fails.
  void take_over(RunReader& earlier, std::size_t rows);

  void row(const double* values) override;
  bool checkpoint_due() override;
  void checkpoint(const std::string& bytes) override;

  // Closes the journal, makes the files and removes the journal. Throws RecordingError.
  void finish(const std::string& summary_json);

  // Who read standard output has gone, and nothing else is recorded.
  bool is_abandoned() const { return stdout_closed_ && !journal_; }

 private:
  void write_stdout(std::string_view text);

  Outputs outputs_;
  std::string journal_path_;
  std::unique_ptr<Journal> journal_;
  std::unique_ptr<CsvStream> stream_;
  bool stdout_closed_ = false;
  std::size_t columns_;
  std::string last_checkpoint_;
  std::chrono::steady_clock::time_point last_checkpoint_time_ = std::chrono::steady_clock::now();
};

// The recording as it is, into all outputs.
void write_outputs(RunReader& recording, const Outputs& outputs);

}  // namespace catena::cli
