// The journal "FILE.part" of a run that goes on; record.h describes its layout.
#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <bit>
#include <cassert>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>

#include "catena/base/mistake.h"
#include "catena/io/record/file.h"
#include "catena/io/record/formats.h"

namespace catena {
namespace run_files {
namespace {

static_assert(std::endian::native == std::endian::little, "journals hold numbers as they are in memory");

using Clock = std::chrono::steady_clock;

constexpr std::string_view kMagic = "CATENA\r\n";  // the line break shows transfers that change line ends
constexpr std::uint32_t kFormatVersion = 1;
constexpr std::size_t kBufferBytes = std::size_t{256} << 10;
constexpr std::uint64_t kLargestText = std::uint64_t{1} << 30;
constexpr auto kSyncInterval = std::chrono::seconds(1);

enum class Kind : std::uint32_t { kInfo = 1, kRows = 2, kCheckpoint = 3, kFinish = 4 };

struct RecordHead {
  std::uint32_t kind;
  std::uint32_t crc;
  std::uint64_t length;
};
static_assert(sizeof(RecordHead) == 16);

std::uint32_t extended_crc(std::uint32_t crc, const void* bytes, std::size_t size) {
  if (size == 0) return crc;  // zlib would start afresh if there is no pointer either
  return static_cast<std::uint32_t>(::crc32_z(crc, static_cast<const Bytef*>(bytes), size));
}

std::uint32_t head_crc(const RecordHead& head) {
  const std::uint32_t crc = extended_crc(0, &head.kind, sizeof head.kind);
  return extended_crc(crc, &head.length, sizeof head.length);
}

template <typename Number>
void append_number(std::string& bytes, Number number) {
  bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
}

// Takes a number off the front of `bytes`; false when there are too few.
template <typename Number>
bool take_number(std::string_view& bytes, Number& number) {
  if (bytes.size() < sizeof number) return false;
  std::memcpy(&number, bytes.data(), sizeof number);
  bytes.remove_prefix(sizeof number);
  return true;
}

bool take_text(std::string_view& bytes, std::string& text) {
  std::uint64_t length = 0;
  if (!take_number(bytes, length) || length > bytes.size()) return false;
  text = bytes.substr(0, length);
  bytes.remove_prefix(length);
  return true;
}

std::string info_bytes(const RunInfo& info) {
  std::string bytes;
  append_number(bytes, kFormatVersion);
  const std::string outputs = nlohmann::json(info.outputs).dump();
  for (const std::string& text :
       {info.version, info.scene_json, stems_json(info.stems), info.scene_name, outputs}) {
    append_number(bytes, std::uint64_t{text.size()});
    bytes += text;
  }
  return bytes;
}

class JournalFile : public Journal {
 public:
  JournalFile(const std::string& path, const RunInfo& info)
      : file_(path), row_bytes_(sizeof(double) * column_count(info.stems)), synced_(Clock::now()) {
    buffer_.resize(std::max<std::size_t>(1, kBufferBytes / row_bytes_) * row_bytes_);
    try {
      file_.write(kMagic);
      write_record(Kind::kInfo, info_bytes(info));
    } catch (...) {
      ::unlink(path.c_str());  // without its beginning it is of no use
      throw;
    }
  }

  // An exception ends a run without finish(): what is still in memory is worth keeping, if the disk allows.
  ~JournalFile() override {
    if (finished_ || broken_) return;
    try {
      write_pending();
    } catch (const std::exception&) {
    }
  }

  void append(const double* row) override {
    check_writable();
    std::memcpy(buffer_.data() + used_, row, row_bytes_);
    used_ += row_bytes_;
    ++rows_;
    if (used_ == buffer_.size()) flush_rows();
    sync_if_due();
  }

  void checkpoint(std::string_view bytes) override {
    check_writable();
    checkpoint_.assign(bytes);
    checkpoint_rows_ = rows_;
    has_checkpoint_ = true;
    sync_if_due();
  }

  void sync() override {
    check_writable();
    write_pending();
    file_.sync();
    synced_ = Clock::now();
  }

  void finish(std::string_view summary_json) override {
    check_writable();
    write_pending();
    write_record(Kind::kFinish, summary_json);
    file_.sync();
    file_.close();
    finished_ = true;
  }

 private:
  void check_writable() const {
    assert(!finished_);
    if (broken_) throw std::runtime_error("the journal of this run broke off earlier: nothing can follow");
  }

  void write_record(Kind kind, std::string_view first, std::string_view second = {}) {
    RecordHead head{static_cast<std::uint32_t>(kind), 0, first.size() + second.size()};
    head.crc = extended_crc(head_crc(head), first.data(), first.size());
    head.crc = extended_crc(head.crc, second.data(), second.size());
    broken_ = true;  // unless all goes well: after a record that is half-written none may follow
    file_.write(&head, sizeof head);
    file_.write(first);
    file_.write(second);
    broken_ = false;
  }

  void flush_rows() {
    if (used_ == 0) return;
    write_record(Kind::kRows, {buffer_.data(), used_});
    used_ = 0;
  }

  // A checkpoint goes after the rows it counts: whatever is cut off, it never counts rows that are lost.
  void write_pending() {
    flush_rows();
    if (!has_checkpoint_) return;
    const std::uint64_t rows = checkpoint_rows_;
    write_record(Kind::kCheckpoint, {reinterpret_cast<const char*>(&rows), sizeof rows}, checkpoint_);
    has_checkpoint_ = false;
  }

  void sync_if_due() {
    if (Clock::now() - synced_ >= kSyncInterval) sync();
  }

  OutputFile file_;
  std::size_t row_bytes_;
  std::vector<char> buffer_;
  std::size_t used_ = 0;
  std::size_t rows_ = 0;
  std::string checkpoint_;
  std::size_t checkpoint_rows_ = 0;
  bool has_checkpoint_ = false;  // one that is not in the file yet
  bool broken_ = false;
  bool finished_ = false;
  Clock::time_point synced_;
};

class JournalReader : public RunReader {
 public:
  explicit JournalReader(const std::string& path) : file_(path) {
    read_header();
    while (read_record()) {
    }
    if (!finished_ && checkpoint_rows_.has_value()) rows_ = *checkpoint_rows_;
  }

  const RunInfo& info() const override { return info_; }
  const RunState& state() const override { return state_; }
  std::size_t rows() const override { return rows_; }

  void read(std::size_t first, std::size_t count, double* out) override {
    assert(first <= rows_ && count <= rows_ - first);
    auto block = std::upper_bound(blocks_.begin(), blocks_.end(), first,
                                  [](std::size_t row, const Block& b) { return row < b.first + b.count; });
    for (; count > 0; ++block) {
      const std::size_t skipped = first - block->first;
      const std::size_t part = std::min(count, block->count - skipped);
      if (file_.read(block->offset + skipped * row_bytes_, out, part * row_bytes_) != part * row_bytes_) {
        throw InputError({file_.path()}, "became shorter while it was read");
      }
      out += part * row_bytes_ / sizeof(double);
      first += part;
      count -= part;
    }
  }

 private:
  struct Block {
    std::uint64_t offset;  // in the file
    std::size_t first;     // row
    std::size_t count;
  };

  // The next record's head, or nothing when it is cut off or damaged. Rows are only checked.
  std::optional<RecordHead> next_record(std::string& payload) {
    RecordHead head{};
    if (file_.read(offset_, &head, sizeof head) != sizeof head) return std::nullopt;
    if (head.length > file_.size() || offset_ + sizeof head > file_.size() - head.length) return std::nullopt;
    std::uint32_t crc = head_crc(head);
    const bool is_kept = head.kind != static_cast<std::uint32_t>(Kind::kRows);
    if (is_kept && head.length > kLargestText) return std::nullopt;
    payload.resize(std::min<std::uint64_t>(head.length, is_kept ? kLargestText : kBufferBytes));
    for (std::uint64_t done = 0; done < head.length;) {
      const std::size_t part = std::min<std::uint64_t>(payload.size(), head.length - done);
      if (file_.read(offset_ + sizeof head + done, payload.data(), part) != part) return std::nullopt;
      crc = extended_crc(crc, payload.data(), part);
      done += part;
    }
    if (crc != head.crc) return std::nullopt;
    return head;
  }

  void read_header() {
    std::string magic(kMagic.size(), '\0');
    if (file_.read(0, magic.data(), magic.size()) != magic.size() || magic != kMagic) {
      throw InputError({file_.path()}, "is no journal of a run");
    }
    offset_ = kMagic.size();
    std::string payload;
    const std::optional<RecordHead> head = next_record(payload);
    if (!head || head->kind != static_cast<std::uint32_t>(Kind::kInfo)) {
      throw InputError({file_.path()}, "the beginning of the journal is cut off or damaged");
    }
    offset_ += sizeof(RecordHead) + head->length;
    parse_info(payload);
  }

  void parse_info(std::string_view bytes) {
    std::uint32_t version = 0;
    if (take_number(bytes, version) && version != kFormatVersion) {
      throw InputError({file_.path()}, fmt::format("is a journal of format {}, this program reads format {}",
                                                   version, kFormatVersion));
    }
    std::string stems;
    const bool has_all =
        take_text(bytes, info_.version) && take_text(bytes, info_.scene_json) && take_text(bytes, stems);
    const std::optional<std::vector<Stem>> parsed = has_all ? stems_from_json(stems) : std::nullopt;
    if (!parsed) throw InputError({file_.path()}, "the beginning of the journal is damaged");
    info_.stems = *parsed;
    take_intentions(bytes);
    check_stems(file_.path(), info_.stems);
    row_bytes_ = sizeof(double) * column_count(info_.stems);
  }

  // Journals of before had none.
  void take_intentions(std::string_view bytes) {
    std::string outputs;
    if (!take_text(bytes, info_.scene_name) || !take_text(bytes, outputs)) return;
    const nlohmann::json list = nlohmann::json::parse(outputs, nullptr, false);
    if (!list.is_array()) return;
    for (const nlohmann::json& name : list) {
      if (name.is_string()) info_.outputs.push_back(name.get<std::string>());
    }
  }

  bool read_record() {
    const std::optional<RecordHead> head = next_record(payload_);
    if (!head) return false;
    const std::uint64_t start = offset_ + sizeof(RecordHead);
    offset_ = start + head->length;
    switch (static_cast<Kind>(head->kind)) {
      case Kind::kRows:
        return take_rows(start, head->length);
      case Kind::kCheckpoint:
        return take_checkpoint(payload_);
      case Kind::kFinish:
        state_.summary_json = payload_;
        finished_ = true;
        return false;
      default:
        return false;
    }
  }

  bool take_rows(std::uint64_t start, std::uint64_t length) {
    if (length % row_bytes_ != 0) return false;
    const std::size_t count = length / row_bytes_;
    if (count > 0) blocks_.push_back({start, rows_, count});
    rows_ += count;
    return true;
  }

  bool take_checkpoint(std::string_view bytes) {
    std::uint64_t rows = 0;
    if (!take_number(bytes, rows) || rows > rows_) return false;
    checkpoint_rows_ = rows;
    state_.checkpoint = bytes;
    return true;
  }

  InputFile file_;
  RunInfo info_;
  RunState state_;
  std::uint64_t offset_ = 0;
  std::string payload_;
  std::size_t row_bytes_ = 0;
  std::size_t rows_ = 0;
  std::vector<Block> blocks_;
  std::optional<std::size_t> checkpoint_rows_;
  bool finished_ = false;
};

}  // namespace

std::unique_ptr<RunReader> open_journal(const std::string& path) {
  return std::make_unique<JournalReader>(path);
}

}  // namespace run_files

std::unique_ptr<Journal> Journal::create(const std::string& path, const RunInfo& info) {
  run_files::check_stems(path, info.stems);
  return std::make_unique<run_files::JournalFile>(path, info);
}

}  // namespace catena
