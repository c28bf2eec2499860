#include "catena/io/record/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "catena/base/mistake.h"
#include "catena/io/record/record.h"

namespace catena::run_files {
namespace {

const char* remedy(int error_number) {
  switch (error_number) {
    case ENOSPC:
    case EDQUOT:
      return "free some space or choose another folder";
    case EFBIG:
      return "the file system or a limit (ulimit -f) allows no larger file";
    case EACCES:
    case EPERM:
    case EROFS:
      return "choose a folder you may write to";
    case ENOENT:
    case ENOTDIR:
      return "create its folder first";
    case EISDIR:
      return "name a file in it";
    default:
      return "check the disk or choose another folder";
  }
}

// Pipes and some file systems cannot sync; that is no reason to stop.
bool is_sync_failure(int error_number) {
  return error_number != EINVAL && error_number != EROFS && error_number != ENOTSUP;
}

}  // namespace

void throw_write_error(const std::string& path, int error_number) {
  const std::string said =
      fmt::format("cannot write '{}': {}; {}", path, std::strerror(error_number), remedy(error_number));
  if (error_number == ENOSPC || error_number == EDQUOT || error_number == EFBIG) throw NoRoom(said);
  throw std::runtime_error(said);
}

OutputFile::OutputFile(const std::string& path)
    : path_(path), descriptor_(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) {
  if (descriptor_ < 0) throw_write_error(path_, errno);
}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void OutputFile::write(const void* bytes, std::size_t size) {
  const char* next = static_cast<const char*>(bytes);
  while (size > 0) {
    const ssize_t written = ::write(descriptor_, next, size);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw_write_error(path_, errno);
    next += written;
    size -= static_cast<std::size_t>(written);
  }
}

void OutputFile::sync() {
  if (::fdatasync(descriptor_) != 0 && is_sync_failure(errno)) throw_write_error(path_, errno);
}

void OutputFile::close() {
  const int descriptor = descriptor_;
  descriptor_ = -1;
  if (::close(descriptor) != 0) throw_write_error(path_, errno);
}

InputFile::InputFile(const std::string& path)
    : path_(path), descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)), size_(0) {
  if (descriptor_ < 0) throw InputError({path_}, fmt::format("cannot open: {}", std::strerror(errno)));
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode)) {
    ::close(descriptor_);
    throw InputError({path_}, "is no file: name a recorded run");
  }
  size_ = static_cast<std::uint64_t>(status.st_size);
}

InputFile::~InputFile() { ::close(descriptor_); }

std::size_t InputFile::read(std::uint64_t offset, void* out, std::size_t size) const {
  char* next = static_cast<char*>(out);
  std::size_t got = 0;
  while (got < size) {
    const ssize_t part = ::pread(descriptor_, next + got, size - got, static_cast<off_t>(offset + got));
    if (part < 0 && errno == EINTR) continue;
    if (part < 0) throw InputError({path_}, fmt::format("cannot read: {}", std::strerror(errno)));
    if (part == 0) break;
    got += static_cast<std::size_t>(part);
  }
  return got;
}

void sync_and_rename(const std::string& from, const std::string& to) {
  const int file = ::open(from.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) throw_write_error(from, errno);
  const int synced = ::fsync(file);
  const int sync_error = errno;
  ::close(file);
  if (synced != 0 && is_sync_failure(sync_error)) throw_write_error(from, sync_error);
  if (std::rename(from.c_str(), to.c_str()) != 0) throw_write_error(to, errno);

  // The new name is on the disk only once the folder is; if that fails, the file is still whole.
  std::filesystem::path folder = std::filesystem::path(to).parent_path();
  if (folder.empty()) folder = ".";
  const int directory = ::open(folder.c_str(), O_RDONLY | O_CLOEXEC);
  if (directory < 0) return;
  ::fsync(directory);
  ::close(directory);
}

}  // namespace catena::run_files
