// Files of sweeps: the arrays that people read, and the journal of a sweep that goes on.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "catena/model/sweep.h"

namespace catena {

// What the names of files of sweeps end in: ".h5", ..
std::vector<std::string> sweep_endings();
bool is_sweep_format(std::string_view path);

// Whether the file is one of a sweep, by what is in it. Files that are not there or not to be read are none.
bool is_sweep_file(const std::string& path);

// Throws InputError on anything that is no sweep, or is damaged.
SweepFile read_sweep_file(const std::string& path);

// In the format of the path's ending, through "<path>.tmp" and a rename. docs/files.md has the layouts.
void write_sweep_file(const SweepFile& sweep, const std::string& path);

// Appends chunks to a file that survives a kill at any moment: what was not synced (each second) may be lost.
// Nobody else can have it open.
//
// Layout (little endian): 8 bytes "CATSWEEP", then records { u32 kind, u32 crc, u64 length, payload }, the
// crc32 being that of kind, length and payload. Kinds: 1 head (JSON: catena, plan, scene, first, count),
// 2 chunk (u64 first, count, steps; measures [case][measure] as doubles; a byte of status for each case; the
// reasons as JSON).
class SweepJournal {
 public:
  // Of cases [first, first + count). What the file has already is kept if `resumes`, up to its last good
  // record. Throws InputError when another process has it, or it is that of another sweep, or it is there
  // and is not to be resumed.
  static std::unique_ptr<SweepJournal> open(const std::string& path, const SweepInfo& info,
                                            std::uint64_t first, std::uint64_t count, bool resumes);
  virtual ~SweepJournal() = default;
  // What was there.
  virtual const std::vector<SweepChunk>& earlier() const = 0;
  virtual void append(const SweepChunk& chunk) = 0;
  virtual void sync() = 0;
  // Closes and removes the file.
  virtual void remove() = 0;
};

// The cases that a journal holds, for looking on; throws InputError where it is none.
struct JournalledCases {
  SweepInfo info;  // without extents and axes
  std::uint64_t first = 0, count = 0;
  std::uint64_t computed = 0, failed = 0;
};
JournalledCases look_into_journal(const std::string& path);

}  // namespace catena
