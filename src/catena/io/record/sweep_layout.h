// What all formats of sweeps share. Only for io/record*.
#pragma once

#include <string>
#include <vector>

#include "catena/model/sweep.h"

namespace catena::run_files {

constexpr std::size_t kMostReasons = 10'000;  // texts of failures in a file, those of the first cases

// All but the arrays and the texts that have places of their own, as JSON.
std::string layout_json(const SweepFile& sweep);
// Throws InputError, placed in `path`.
void take_layout(const std::string& path, const std::string& json, SweepFile& sweep);

// The failures' texts and their cases, at most kMostReasons.
std::string reasons_json(const std::vector<CaseReason>& reasons);
std::vector<CaseReason> reasons_from_json(const std::string& path, const std::string& json);

// Of a measure; "": it has none, or none is known.
std::string unit_of(const SweepInfo& info, const std::string& measure);

// The arrays' shape: that of the grid, or one dimension for a shard.
std::vector<std::size_t> array_shape(const SweepResults& results);

void write_sweep_hdf5(const SweepFile& sweep, const std::string& path);
SweepFile read_sweep_hdf5(const std::string& path);
bool is_sweep_hdf5(const std::string& path);
void write_sweep_npz(const SweepFile& sweep, const std::string& path);
SweepFile read_sweep_npz(const std::string& path);
void write_sweep_csv(const SweepFile& sweep, const std::string& path);
SweepFile read_sweep_csv(const std::string& path);

}  // namespace catena::run_files
