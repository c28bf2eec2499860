// What the files of recorded runs share. Only for io/record*.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catena/io/record/record.h"

namespace catena::run_files {

// Writers that need whole columns keep at most this much of them in memory, and read the run once more for
// the rest.
constexpr std::size_t kPassBytes = std::size_t{64} << 20;
constexpr std::size_t kBlockBytes = std::size_t{4} << 20;

std::size_t column_count(const std::vector<Stem>& stems);

// Throws InputError, placed in `path`, unless all formats can hold columns of these names and "t" is first.
void check_stems(const std::string& path, const std::vector<Stem>& stems);

// [["t"],["x","1","2"]]: each stem's name and labels.
std::string stems_json(const std::vector<Stem>& stems);
std::optional<std::vector<Stem>> stems_from_json(std::string_view text);

// The stems that a header suggests: columns x_1, x_2, .. in a row are one stem, all others stand alone.
std::vector<Stem> stems_from_names(const std::vector<std::string>& names);

// What each stem's array is called in HDF5 and NPZ.
std::vector<std::string> array_names(const std::vector<Stem>& stems);

std::string base64_text(std::string_view bytes);
std::optional<std::string> bytes_from_base64(std::string_view text);

// Nothing when the text is no UTF-8.
std::optional<std::u32string> utf32_from_utf8(std::string_view text);

// Visits all rows in order, `block_rows` at a time.
using BlockVisitor = std::function<void(const double* rows, std::size_t first, std::size_t count)>;
void visit_blocks(RunReader& reader, std::size_t block_rows, const BlockVisitor& visit);

// As many rows as fit into `bytes`, at least one.
std::size_t rows_within(std::size_t bytes, std::size_t columns);

}  // namespace catena::run_files
