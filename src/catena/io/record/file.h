// Plain files for recorded runs, with errors that say what to do. Only for io/record*.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace catena::run_files {

// "cannot write 'run.h5.tmp': No space left on device; free some space or choose another folder"
// Throws NoRoom where that is the trouble, std::runtime_error otherwise.
[[noreturn]] void throw_write_error(const std::string& path, int error_number);

class OutputFile {
 public:
  explicit OutputFile(const std::string& path);  // creates or truncates
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(const void* bytes, std::size_t size);
  void write(std::string_view text) { write(text.data(), text.size()); }
  void sync();   // the bytes are on the disk afterwards
  void close();  // reports what the destructor would have to swallow

 private:
  std::string path_;
  int descriptor_;
};

class InputFile {
 public:
  explicit InputFile(const std::string& path);  // throws InputError
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  const std::string& path() const { return path_; }
  std::uint64_t size() const { return size_; }
  // Returns how many bytes there were; fewer than asked for only at the end of the file.
  std::size_t read(std::uint64_t offset, void* out, std::size_t size) const;

 private:
  std::string path_;
  int descriptor_;
  std::uint64_t size_;
};

// Makes the file at `from`, written completely, the file at `to`; both are in one folder.
void sync_and_rename(const std::string& from, const std::string& to);

}  // namespace catena::run_files
