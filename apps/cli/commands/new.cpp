#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <memory>
#include <system_error>

#include "catena/base/mistake.h"
#include "catena/io/scene/scene.h"
#include "commands/command.h"
#include "scenes.h"
#include "terminal/messages.h"

namespace catena::cli {
namespace {

// Creates the file; one that is there already is never touched.
void write_new_file(const std::string& path, const std::string& text) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file < 0 && errno == EEXIST) {
    throw InputError({path}, "is there already: choose another name, or delete it first");
  }
  if (file < 0) throw InputError({path}, "cannot be written: " + std::generic_category().message(errno));
  const ssize_t written = ::write(file, text.data(), text.size());
  const bool is_whole = written == static_cast<ssize_t>(text.size());
  if (::close(file) != 0 || !is_whole) {
    ::unlink(path.c_str());
    throw std::runtime_error(fmt::format("cannot write '{}': is the disk full?", path));
  }
}

int write_starter(const std::string& name) {
  if (name.empty()) throw InputError({}, "`catena new` needs a name: catena new swing");
  const std::string path = name.ends_with(".toml") ? name : name + ".toml";
  if (std::filesystem::path(path).stem().empty() || path.ends_with("/.toml")) {
    throw InputError({}, fmt::format("'{}' has no name before its ending: catena new swing", name));
  }
  write_new_file(path, starter_scene(name_from_path(path)));
  fmt::print("wrote {0}; open it in an editor, then\n  catena check {1}\n  catena run {1}\n", path,
             shell_word(path));
  return kDone;
}

}  // namespace

Command new_command() {
  const auto name = std::make_shared<std::string>();
  return {
      .name = "new",
      .summary = "write a commented starter scene",
      .usage = "catena new NAME",
      .examples = {{"catena new swing", "write swing.toml"},
                   {"catena run swing.toml", "simulate it, as it is or after editing"}},
      .declare =
          [name](Options& options) {
            options.argument("NAME", name.get(), "of the scene; .toml is added where it is missing");
          },
      .perform = [name] { return write_starter(*name); },
  };
}

}  // namespace catena::cli
