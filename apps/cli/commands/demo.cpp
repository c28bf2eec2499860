#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <memory>

#include "catena/base/mistake.h"
#include "catena/draw/plot/page.h"
#include "commands/command.h"
#include "terminal/messages.h"

namespace catena::cli {
namespace {

namespace fs = std::filesystem;

struct DemoArguments {
  std::string folder = "catena-demo";
};

std::string typed(const std::vector<std::string>& words) {
  std::string line = "catena";
  for (const std::string& word : words) line += " " + shell_word(word);
  return line;
}

// Says the command and does it, as if it had been typed.
int shown(const std::vector<std::string>& words) {
  fmt::print("\n$ {}\n", typed(words));
  std::fflush(stdout);
  return perform_words(words);
}

// Without ffmpeg there is no film, and everything else all the same.
bool filmed(const std::vector<std::string>& words) try {
  return shown(words) == kDone;
} catch (const InputError& error) {
  note("no film: " + error.mistakes().front().message);
  return false;
}

void write_page(const fs::path& folder, const std::vector<draw::PageFigure>& figures,
                const std::string& command) {
  draw::Page page;
  page.title = "Catena: the demo";
  page.note = "Each picture with the command that made it.";
  page.command = command;
  page.figures = figures;
  std::ofstream out(folder / "index.html");
  out << draw::html(page);
  if (!out.flush()) throw InputError({(folder / "index.html").string()}, "cannot be written");
}

int perform(const DemoArguments& arguments) {
  const fs::path folder = arguments.folder;
  std::error_code error;
  fs::create_directories(folder, error);
  if (error || !fs::is_directory(folder))
    throw InputError({arguments.folder}, "cannot be a folder for the demo: is there a file of that name?");
  const auto in_folder = [&](const char* name) { return (folder / name).string(); };
  const std::string run = in_folder("demo.h5");
  const std::vector<std::vector<std::string>> steps = {
      {"run", "demo", "-o", run},
      {"video", run, "-o", in_folder("demo.png"), "--at", "3.2", "--size", "1280x720"},
      {"plot", run, "-o", in_folder("figures")}};
  for (const std::vector<std::string>& words : steps) {
    if (const int status = shown(words); status != kDone) return status;
  }
  const std::vector<std::string> film = {
      "video", run, "-o", in_folder("demo.mp4"), "--to", "5", "--size", "640x360", "--fps", "30"};
  std::vector<draw::PageFigure> figures = {
      {"demo.png", {}, "The chain", "Where it is after 3.2 s, and where it came from.", typed(steps[1])},
      {"figures/paths.png", {}, "Paths in space", "Where the bobs went.", typed(steps[2])},
      {"figures/energies.png",
       {},
       "Energies",
       "They are exchanged; their sum stays, to the last digits.",
       typed(steps[2])}};
  if (filmed(film))
    figures.insert(figures.begin(), {"demo.mp4", {}, "The motion", "Its first five seconds.", typed(film)});
  write_page(folder, figures, typed({"demo", "-o", arguments.folder}));
  fmt::print("\nopen {}\nand then: catena list scenes, catena new swing, catena lab\n",
             in_folder("index.html"));
  return kDone;
}

}  // namespace

Command demo_command() {
  const auto arguments = std::make_shared<DemoArguments>();
  return {
      .name = "demo",
      .summary = "a first motion with pictures in a few seconds, and the commands that make them",
      .usage = "catena demo [-o FOLDER]",
      .examples = {{"catena demo", "into the folder catena-demo"},
                   {"catena demo -o first", "into another one"}},
      .declare =
          [arguments](Options& options) {
            options.value("-o,--output", &arguments->folder, "FOLDER",
                          "where everything goes. Default: catena-demo");
          },
      .perform = [arguments] { return perform(*arguments); },
  };
}

}  // namespace catena::cli
