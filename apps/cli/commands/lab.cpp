#include "catena/lab/lab.h"

#include <fmt/format.h>
#include <spawn.h>
#include <unistd.h>

#include <array>
#include <cctype>
#include <filesystem>
#include <memory>
#include <optional>

#include "catena/base/mistake.h"
#include "commands/command.h"
#include "recording/scene_arguments.h"
#include "serve/serve.h"
#include "terminal/messages.h"

namespace catena::cli {
namespace {

namespace fs = std::filesystem;

struct LabArguments {
  SceneArguments scene;
  bool no_open = false;
  int port = 0;
};

// Beside the program: where it is installed, where packages have it, or where `./dev web` builds it.
std::string page_folder() {
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  for (const char* place : {"../share/catena/lab", "../../../share/catena/lab", "../web/page"}) {
    const fs::path folder = (program / place).lexically_normal();
    if (fs::exists(folder / "index.html", ignored)) return folder.string();
  }
  throw InputError({}, "the page of the lab is not built; in Catena's source folder, `./dev web` builds it");
}

// A name that needs no escapes in a link.
std::string link_name(const std::string& name) {
  std::string out;
  for (const char c : name) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_';
    out += plain ? c : '_';
  }
  return out + ".json";
}

// Left to whatever the desktop opens links with; without a desktop the printed address is enough.
void open_browser(const std::string& address) {
  for (const char* opener : {"xdg-open", "open"}) {
    std::array<char*, 3> words = {const_cast<char*>(opener), const_cast<char*>(address.c_str()), nullptr};
    pid_t child = 0;
    if (::posix_spawnp(&child, opener, nullptr, nullptr, words.data(), environ) == 0) return;
  }
}

int perform(const LabArguments& arguments) {
  std::optional<Scene> scene;
  if (arguments.scene.scene) {
    scene = scene_of(find_scene(*arguments.scene.scene), arguments.scene);
    const Lab checked(*scene);
  }
  Site site = site_from(page_folder());
  std::string wish;
  if (scene) {
    const std::string name = link_name(scene->name);
    site.files["/" + name] = {"application/json", scene->json};
    wish = "#scene=" + name;
  }
  serve(std::move(site), arguments.port, [&](int port) {
    const std::string address = fmt::format("http://127.0.0.1:{}/{}", port, wish);
    fmt::print("{}\n", address);
    std::fflush(stdout);
    note("serving the lab to this machine alone; Ctrl-C ends it");
    if (!arguments.no_open) open_browser(address);
  });
  return kDone;
}

}  // namespace

Command lab_command() {
  const auto arguments = std::make_shared<LabArguments>();
  return {
      .name = "lab",
      .summary = "serve the interactive page on this machine and open it",
      .usage = "catena lab [SCENE] [--no-open] [--port PORT]",
      .examples = {{"catena lab", "play with chains in the browser"},
                   {"catena lab swing.toml", "with a scene of one's own"},
                   {"catena lab demo --no-open --port 8080", "only print the address"}},
      .operand = {.scene = true, .file = true},
      .declare =
          [arguments](Options& options) {
            arguments->scene.declare(options);
            options.flag("--no-open", arguments->no_open, "print the address, open no browser");
            options.number("--port", arguments->port, "PORT", 0, 65535,
                           "to listen on; 0, the default: any free one");
          },
      .perform = [arguments] { return perform(*arguments); },
  };
}

}  // namespace catena::cli
