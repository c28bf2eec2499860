#include "recording/outputs.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "catena/base/links.h"
#include "catena/base/mistake.h"
#include "catena/base/words.h"
#include "catena/io/record/record.h"
#include "terminal/messages.h"

namespace catena::cli {
namespace {

namespace fs = std::filesystem;

void check_file(const std::string& path) {
  if (!is_run_format(path)) {
    throw InputError(
        {"-o " + path},
        fmt::format("cannot tell the format: the name must end in {}, or be - for CSV on standard "
                    "output",
                    alternatives(run_endings())));
  }
  const auto folder_of = [](const fs::path& file) {
    return file.has_parent_path() ? file.parent_path() : fs::path(".");
  };
  const fs::path folder = folder_of(through_links(path));
  std::error_code error;
  if (!fs::is_directory(folder, error)) {
    throw InputError({"-o " + path},
                     fmt::format("there is no folder '{}': create it first", folder.string()));
  }
  const fs::file_status status = fs::status(path, error);
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    throw InputError({"-o " + path}, "is there already and is no file: choose another name");
  }
  if (status.type() == fs::file_type::none) throw InputError({"-o " + path}, error.message());
  const std::string& blocked =
      fs::exists(status) && ::access(path.c_str(), W_OK) != 0 ? path : folder.string();
  const bool is_closed = ::access(blocked.c_str(), W_OK) != 0 ||
                         ::access(folder_of(path).c_str(), W_OK) != 0;  // for the journal
  if (is_closed) {
    throw InputError({"-o " + path},
                     fmt::format("cannot be written: {}", std::generic_category().message(errno)));
  }
}

}  // namespace

std::vector<std::string> Outputs::others_beside_journal() const {
  std::vector<std::string> out;
  const fs::path folder = fs::absolute(files.front()).parent_path();
  for (std::size_t i = 1; i < files.size(); ++i) {
    const fs::path file = files[i];
    out.push_back(file.is_absolute() ? files[i] : fs::absolute(file).lexically_relative(folder).string());
  }
  return out;
}

std::vector<std::string> seen_from_here(const std::vector<std::string>& files, const std::string& journal) {
  std::vector<std::string> out;
  for (const std::string& file : files)
    out.push_back((fs::path(journal).parent_path() / file).lexically_normal().string());
  return out;
}

bool is_same_file(const std::string& a, const std::string& b) {
  std::error_code error_a, error_b;
  const fs::path full_a = fs::weakly_canonical(fs::absolute(a, error_a), error_a);
  const fs::path full_b = fs::weakly_canonical(fs::absolute(b, error_b), error_b);
  return error_a || error_b ? a == b : full_a == full_b;
}

Outputs checked_outputs(const std::vector<std::string>& asked, const std::string& scene_file) {
  Outputs outputs;
  for (const std::string& path : asked) {
    if (path == "-") {
      if (outputs.to_stdout) throw InputError({}, "-o - is given twice");
      outputs.to_stdout = true;
      continue;
    }
    check_file(path);
    for (const std::string& other : outputs.files) {
      if (is_same_file(path, other)) throw InputError({"-o " + path}, "is given twice");
    }
    if (!scene_file.empty() && is_same_file(path, scene_file)) {
      throw InputError({"-o " + path}, "would replace the scene itself: choose another name");
    }
    outputs.files.push_back(path);
  }
  return outputs;
}

void check_journal_is_free(const std::string& journal, const std::string& resumed) {
  std::error_code ignored;
  if (!fs::exists(fs::symlink_status(journal, ignored))) return;
  if (!resumed.empty() && is_same_file(journal, resumed)) return;
  throw InputError({journal}, fmt::format("is there already, from a run that was cut off or still goes on; "
                                          "`catena run --resume {}` goes on with it, --force overwrites it",
                                          shell_word(journal)));
}

}  // namespace catena::cli
