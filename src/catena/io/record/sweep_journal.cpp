// The journal "FILE.part" of a sweep that goes on; sweep_file.h describes its layout.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>

#include "catena/base/mistake.h"
#include "catena/base/words.h"
#include "catena/io/record/file.h"
#include "catena/io/record/sweep_file.h"
#include "catena/io/record/sweep_layout.h"

namespace catena {
namespace run_files {
namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

constexpr std::string_view kMagic = "CATSWEEP";
constexpr auto kSyncInterval = std::chrono::seconds(1);
enum class Kind : std::uint32_t { head = 1, chunk = 2 };

struct RecordHead {
  std::uint32_t kind;
  std::uint32_t crc;
  std::uint64_t length;
};

std::uint32_t crc_of(const RecordHead& head, std::string_view payload) {
  const auto bytes = [](const void* of) { return static_cast<const Bytef*>(of); };
  uLong crc = ::crc32_z(0, bytes(&head.kind), sizeof head.kind);
  crc = ::crc32_z(crc, bytes(&head.length), sizeof head.length);
  if (!payload.empty()) crc = ::crc32_z(crc, bytes(payload.data()), payload.size());
  return static_cast<std::uint32_t>(crc);
}

template <class Value>
void put(std::string& bytes, const Value* values, std::size_t count) {
  bytes.append(reinterpret_cast<const char*>(values), count * sizeof(Value));
}

template <class Value>
bool get(std::string_view& bytes, Value* values, std::size_t count) {
  if (bytes.size() / sizeof(Value) < count) return false;
  std::memcpy(values, bytes.data(), count * sizeof(Value));
  bytes.remove_prefix(count * sizeof(Value));
  return true;
}

std::string chunk_bytes(const SweepChunk& chunk) {
  const std::uint64_t numbers[] = {chunk.first, chunk.count, chunk.steps};
  std::string out;
  put(out, numbers, 3);
  put(out, chunk.measures.data(), chunk.measures.size());
  put(out, chunk.status.data(), chunk.status.size());
  Json reasons = Json::array();
  for (const CaseReason& reason : chunk.reasons) reasons.push_back({reason.index, reason.text});
  return out + reasons.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::optional<SweepChunk> chunk_from(const std::string& path, std::string_view bytes, std::size_t measures) {
  std::uint64_t numbers[3];
  SweepChunk chunk;
  if (!get(bytes, numbers, 3) || numbers[1] > bytes.size()) return std::nullopt;
  chunk.first = numbers[0];
  chunk.count = numbers[1];
  chunk.steps = numbers[2];
  chunk.measures.resize(chunk.count * measures);
  chunk.status.resize(chunk.count);
  if (!get(bytes, chunk.measures.data(), chunk.measures.size()) ||
      !get(bytes, chunk.status.data(), chunk.count))
    return std::nullopt;
  chunk.reasons = reasons_from_json(path, std::string(bytes));
  return chunk;
}

std::string head_json(const SweepInfo& info, std::uint64_t first, std::uint64_t count, std::size_t measures) {
  return Json{{"catena", info.version}, {"plan", info.plan_json}, {"scene", info.scene_json},
              {"first", first},         {"count", count},         {"measures", measures}}
      .dump();
}

// Records from the beginning on, up to the first that is cut off or damaged.
class Records {
 public:
  explicit Records(const std::string& path) : file_(path) {
    std::string magic(kMagic.size(), '\0');
    if (file_.read(0, magic.data(), magic.size()) != magic.size() || magic != kMagic)
      throw InputError({path}, "is no journal of a sweep");
    end_ = kMagic.size();
  }

  std::optional<std::string> next(Kind kind) {
    RecordHead head{};
    if (file_.read(end_, &head, sizeof head) != sizeof head ||
        head.kind != static_cast<std::uint32_t>(kind) || head.length > file_.size())
      return std::nullopt;
    std::string payload(head.length, '\0');
    if (file_.read(end_ + sizeof head, payload.data(), payload.size()) != payload.size() ||
        crc_of(head, payload) != head.crc)
      return std::nullopt;
    end_ += sizeof head + head.length;
    return payload;
  }
  std::uint64_t end() const { return end_; }

 private:
  InputFile file_;
  std::uint64_t end_ = 0;
};

struct Head {
  SweepInfo info;
  std::uint64_t first = 0, count = 0;
  std::size_t measures = 0;
};

Head head_of(const std::string& path, Records& records) try {
  const std::optional<std::string> bytes = records.next(Kind::head);
  if (!bytes) throw InputError({path}, "the beginning of the journal is cut off or damaged");
  const Json json = Json::parse(*bytes);
  Head out;
  out.info.version = json.at("catena");
  out.info.plan_json = json.at("plan");
  out.info.scene_json = json.at("scene");
  out.first = json.at("first");
  out.count = json.at("count");
  out.measures = json.at("measures");
  return out;
} catch (const nlohmann::json::exception&) {
  throw InputError({path}, "the beginning of the journal is damaged");
}

class JournalFile : public SweepJournal {
 public:
  JournalFile(const std::string& path, const SweepInfo& info, std::uint64_t first, std::uint64_t count,
              bool resumes)
      : path_(path), descriptor_(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {
    if (descriptor_ < 0) throw_write_error(path_, errno);
    try {
      lock();
      measures_ = measures_in(info);
      begin(info, first, count, resumes);
    } catch (...) {
      ::close(descriptor_);
      throw;
    }
    synced_ = Clock::now();
  }
  ~JournalFile() override {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  JournalFile(const JournalFile&) = delete;
  JournalFile& operator=(const JournalFile&) = delete;

  const std::vector<SweepChunk>& earlier() const override { return earlier_; }

  void append(const SweepChunk& chunk) override {
    if (chunk.count == 0) return;
    write_record(Kind::chunk, chunk_bytes(chunk));
    if (Clock::now() - synced_ >= kSyncInterval) sync();
  }
  void sync() override {
    ::fdatasync(descriptor_);  // file systems that cannot are no reason to stop
    synced_ = Clock::now();
  }
  void remove() override {
    ::unlink(path_.c_str());  // while it is locked: nobody else takes it up
    ::close(descriptor_);
    descriptor_ = -1;
  }

 private:
  static std::size_t measures_in(const SweepInfo& info) {
    return Json::parse(info.plan_json).at("measures").size();
  }

  // File systems without locks let everybody in.
  void lock() const {
    if (::flock(descriptor_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;
    throw InputError({path_},
                     "another process is at work on this sweep; wait for it, or choose another file by -o");
  }

  void begin(const SweepInfo& info, std::uint64_t first, std::uint64_t count, bool resumes) {
    struct stat status {};
    ::fstat(descriptor_, &status);
    const auto size = static_cast<std::uint64_t>(status.st_size);
    if (size >= kMagic.size() + sizeof(RecordHead)) {
      take_up(info, first, count, resumes);
      return;
    }
    if (::ftruncate(descriptor_, 0) != 0 || ::lseek(descriptor_, 0, SEEK_SET) != 0)
      throw_write_error(path_, errno);
    write_bytes(kMagic);
    write_record(Kind::head, head_json(info, first, count, measures_));
  }

  void take_up(const SweepInfo& info, std::uint64_t first, std::uint64_t count, bool resumes) {
    Records records(path_);
    const Head head = head_of(path_, records);
    if (!resumes)
      throw InputError(
          {path_}, "is there already, from a sweep that was cut off: --resume goes on with it, or remove it");
    if (!head.info.is_same_sweep(info))
      throw InputError(
          {path_}, head.info.version != info.version
                       ? fmt::format("is of version {} of catena, this is {}: its numbers may differ, so "
                                     "it is not gone on with",
                                     head.info.version, info.version)
                       : std::string("is of another plan or scene: choose another file by -o, or remove it"));
    if (head.first != first || head.count != count)
      throw InputError({path_}, fmt::format("is of another part of the sweep: it has cases {} to {}",
                                            head.first, head.first + head.count - 1));
    while (const std::optional<std::string> bytes = records.next(Kind::chunk)) {
      if (std::optional<SweepChunk> chunk = chunk_from(path_, *bytes, measures_))
        earlier_.push_back(*std::move(chunk));
    }
    // What was cut off is written anew.
    if (::ftruncate(descriptor_, static_cast<off_t>(records.end())) != 0 ||
        ::lseek(descriptor_, static_cast<off_t>(records.end()), SEEK_SET) < 0)
      throw_write_error(path_, errno);
  }

  void write_record(Kind kind, const std::string& payload) {
    RecordHead head{static_cast<std::uint32_t>(kind), 0, payload.size()};
    head.crc = crc_of(head, payload);
    std::string all(reinterpret_cast<const char*>(&head), sizeof head);
    write_bytes(all + payload);
  }

  void write_bytes(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) throw_write_error(path_, errno);
      bytes.remove_prefix(static_cast<std::size_t>(written));
    }
  }

  std::string path_;
  int descriptor_;
  std::size_t measures_ = 0;
  std::vector<SweepChunk> earlier_;
  Clock::time_point synced_;
};

}  // namespace
}  // namespace run_files

std::unique_ptr<SweepJournal> SweepJournal::open(const std::string& path, const SweepInfo& info,
                                                 std::uint64_t first, std::uint64_t count, bool resumes) {
  return std::make_unique<run_files::JournalFile>(path, info, first, count, resumes);
}

JournalledCases look_into_journal(const std::string& path) {
  run_files::Records records(path);
  const run_files::Head head = run_files::head_of(path, records);
  JournalledCases out{head.info, head.first, head.count, 0, 0};
  while (const std::optional<std::string> bytes = records.next(run_files::Kind::chunk)) {
    const std::optional<SweepChunk> chunk = run_files::chunk_from(path, *bytes, head.measures);
    if (!chunk) break;
    out.computed += chunk->count;
    for (const CaseStatus status : chunk->status) out.failed += status == CaseStatus::failed ? 1 : 0;
  }
  return out;
}

}  // namespace catena
