// Recorded runs: a crash-proof journal while the run goes on, and the files people read afterwards.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "catena/model/columns.h"

namespace catena {

// Names of all columns in order, as in a CSV header.
std::vector<std::string> column_names(const std::vector<Stem>& stems);

// What stands beside the rows.
struct RunInfo {
  std::string version;      // of catena
  std::string scene_json;   // compact JSON
  std::vector<Stem> stems;  // a row's columns, in this order; the first is always "t"
  // Of journals alone, which have no summary yet.
  std::string scene_name = {};
  std::vector<std::string> outputs =
      {};  // further files to be made at the end, as seen from the journal's folder

  bool operator==(const RunInfo&) const = default;
};

// What is known once a run has ended, or at a checkpoint.
struct RunState {
  std::string summary_json;  // compact JSON; empty until the run ended
  std::string checkpoint;    // opaque bytes the integrator needs to go on with the same bits; may be empty

  bool operator==(const RunState&) const = default;
};

// There is no room: the disk is full, or a limit is reached. Not the user's mistake, and it may pass.
class NoRoom : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Append-only, checksummed file that survives a kill at any moment: rows and checkpoints since the last sync
// (each second) may be lost, nothing else. Disk trouble is a std::runtime_error that says what to do.
//
// Layout (little endian): 8 bytes "CATENA\r\n", then records of { u32 kind, u32 crc, u64 length, payload },
// the crc32 being that of kind, length and payload. Kinds: 1 info (first; u32 format version, then version,
// scene, stems, the scene's name and a JSON list of further files, each as u64 length and text), 2 rows
// (doubles), 3 checkpoint (u64 rows before it, bytes), 4 finish (summary).
class Journal {
 public:
  // Creates (truncates) `path` and writes the header, or leaves nothing there. Throws InputError if columns
  // cannot be named so.
  static std::unique_ptr<Journal> create(const std::string& path, const RunInfo& info);
  virtual ~Journal() = default;
  virtual void append(const double* row) = 0;  // one row
  // How to go on after the rows so far. Costs a copy of the bytes, so it may be called at each step; what
  // reaches the disk is the last one before each sync.
  virtual void checkpoint(std::string_view bytes) = 0;
  virtual void sync() = 0;  // all rows and the last checkpoint are on the disk afterwards
  // Flushes and syncs; nothing may be appended afterwards. All rows are kept, so a run that may be resumed
  // calls checkpoint() after its last row.
  virtual void finish(std::string_view summary_json) = 0;
};

// A whole recorded run, read in blocks of rows so that memory does not grow with its length (JSON and NPZ are
// loaded whole). Accepts .h5 .csv .json .npz and journals (.part). Throws InputError on anything that is no
// recorded run or is damaged, on opening or on reading; a journal whose tail was cut off by a kill is read up
// to its last good record.
//
// A journal that was not finished ends with the rows of its last checkpoint, since going on from there gives
// the later ones again; without any checkpoint it has all good rows.
class RunReader {
 public:
  static std::unique_ptr<RunReader> open(const std::string& path);
  virtual ~RunReader() = default;
  virtual const RunInfo& info() const = 0;
  virtual const RunState& state() const = 0;  // the last checkpoint and, if the run ended, its summary
  virtual std::size_t rows() const = 0;
  // Rows [first, first + count) row-major into `out`.
  virtual void read(std::size_t first, std::size_t count, double* out) = 0;
};

// Writes the run that `reader` holds to `path`, in the format of its ending, through "<path>.tmp" and a
// rename, so that `path` is either the old file or the whole new one. A symbolic link stays one: what it
// leads to is written.
//
// .csv   lines "# catena VERSION", "# scene: JSON", "# stems: JSON", header, rows, "# summary: JSON",
//        "# checkpoint: BASE64".
// .json  {"catena", "format", "scene", "summary", "drawing", "stems", "checkpoint", "columns"}; nan is null,
//        infinities are "inf" and "-inf". docs/exchange.md, run_schema().
// .npz   one array per stem, and the texts catena, scene, summary, stems, the names `columns`, bytes
//        `checkpoint`.
// .h5    one dataset per stem with the attribute `labels`; root attributes catena, scene, summary, columns
// for
//        people. Catena itself reads the same texts, and the checkpoint, from checksummed datasets in the
//        group "catena.run": strings of variable length, which h5py likes, are neither checksummed nor safe
//        to read from a damaged file.
//
// Every NaN is the same in CSV and JSON; all other values, and NaN in the other formats, keep their bits.
void write_run(RunReader& reader, const std::string& path);

constexpr unsigned kRunFormat = 1;  // of recorded runs as JSON

// JSON Schema (draft 2020-12) of recorded runs as JSON, pretty-printed.
std::string run_schema();

// What the names of files that can be written end in: ".h5", ..
std::vector<std::string> run_endings();
bool is_run_format(std::string_view path);

// CSV as it goes, for standard output: header, rows, closing summary. Rows reach `write` in batches, at the
// latest when a row comes a tenth of a second after the last batch.
class CsvStream {
 public:
  CsvStream(std::function<void(std::string_view)> write, const RunInfo& info);
  void append(const double* row);
  void finish(const RunState& state);

 private:
  void flush();

  std::function<void(std::string_view)> write_;
  std::size_t columns_;
  std::vector<char> buffer_;
  std::size_t used_ = 0;
  std::chrono::steady_clock::time_point flushed_;
};

}  // namespace catena
