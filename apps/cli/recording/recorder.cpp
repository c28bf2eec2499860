#include "recording/recorder.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include "catena/base/mistake.h"
#include "terminal/interrupt.h"
#include "terminal/messages.h"
#include "terminal/terminal.h"

namespace catena::cli {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{4} << 20;

template <class Visitor>
void visit_rows(RunReader& recording, std::size_t rows, std::size_t columns, const Visitor& visit) {
  const std::size_t block_rows = std::max<std::size_t>(1, kBlockBytes / (sizeof(double) * columns));
  std::vector<double> block(std::min(block_rows, rows) * columns);
  for (std::size_t first = 0; first < rows; first += block_rows) {
    const std::size_t count = std::min(block_rows, rows - first);
    recording.read(first, count, block.data());
    for (std::size_t row = 0; row < count; ++row) visit(block.data() + row * columns);
  }
}

// Everything goes out, or the reason why not is returned.
int write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

[[noreturn]] void throw_stdout_error(int error) {
  throw std::runtime_error("cannot write to standard output: " + std::generic_category().message(error));
}

}  // namespace

Recorder::Recorder(Outputs outputs, const RunInfo& info, bool resumes)
    : outputs_(std::move(outputs)), columns_(column_names(info.stems).size()) {
  if (!outputs_.files.empty()) {
    journal_path_ = resumes ? outputs_.files.front() + ".resume.part" : outputs_.journal();
    try {
      journal_ = Journal::create(journal_path_, info);
    } catch (const NoRoom&) {
      throw;
    } catch (const std::runtime_error& error) {
      throw InputError({}, error.what());
    }
  }
  if (outputs_.to_stdout) {
    stream_ = std::make_unique<CsvStream>([this](std::string_view text) { write_stdout(text); }, info);
  }
}

Recorder::~Recorder() = default;

void Recorder::take_over(RunReader& earlier, std::size_t rows) try {
  visit_rows(earlier, rows, columns_, [this](const double* values) { row(values); });
  if (!journal_) return;
  if (!earlier.state().checkpoint.empty()) journal_->checkpoint(earlier.state().checkpoint);
  journal_->sync();
  std::filesystem::rename(journal_path_, outputs_.journal());
  journal_path_ = outputs_.journal();
} catch (...) {
  std::error_code ignored;
  if (journal_) std::filesystem::remove(journal_path_, ignored);
  throw;
}

void Recorder::row(const double* values) {
  if (journal_) journal_->append(values);
  if (stream_ && !stdout_closed_) stream_->append(values);
}

bool Recorder::checkpoint_due() {
  if (!journal_) return false;
  // Rows behind the last checkpoint on the disk are lost in a kill: half a second, and time to write it.
  constexpr auto kInterval = std::chrono::milliseconds(500);
  const auto now = std::chrono::steady_clock::now();
  if (now - last_checkpoint_time_ < kInterval) return false;
  last_checkpoint_time_ = now;
  return true;
}

void Recorder::checkpoint(const std::string& bytes) {
  if (journal_) {
    journal_->checkpoint(bytes);
    journal_->sync();
  }
  last_checkpoint_ = bytes;
}

void Recorder::finish(const std::string& summary_json) {
  if (stream_ && !stdout_closed_) {
    // The checkpoint is a long line that only --resume can read.
    const bool is_for_eyes = is_terminal(Stream::out);
    stream_->finish({summary_json, is_for_eyes ? "" : last_checkpoint_});
  }
  if (!journal_) return;
  journal_->finish(summary_json);
  try {
    const std::unique_ptr<RunReader> recording = RunReader::open(journal_path_);
    for (const std::string& file : outputs_.files) write_run(*recording, file);
  } catch (const std::exception& error) {
    throw RecordingError(error.what());
  }
  std::filesystem::remove(journal_path_);
}

void Recorder::write_stdout(std::string_view text) {
  if (stdout_closed_) return;
  const int error = write_all(STDOUT_FILENO, text);
  if (error == 0) return;
  if (error != EPIPE) throw_stdout_error(error);
  stdout_closed_ = true;
  if (!journal_) interrupted() = true;  // nobody is left to compute for
}

void write_outputs(RunReader& recording, const Outputs& outputs) {
  for (const std::string& file : outputs.files) write_run(recording, file);
  if (!outputs.to_stdout) return;
  bool is_closed = false;
  CsvStream stream(
      [&](std::string_view text) {
        const int error = is_closed ? 0 : write_all(STDOUT_FILENO, text);
        is_closed = is_closed || error == EPIPE;
        if (error != 0 && error != EPIPE) throw_stdout_error(error);
      },
      recording.info());
  visit_rows(recording, recording.rows(), column_names(recording.info().stems).size(),
             [&](const double* values) { stream.append(values); });
  stream.finish(recording.state());
}

}  // namespace catena::cli
