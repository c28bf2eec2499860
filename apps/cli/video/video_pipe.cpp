#include "video/video_pipe.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <vector>

#include "catena/base/links.h"
#include "catena/base/mistake.h"

extern char** environ;

namespace catena::cli {
namespace {

struct VideoFormat {
  std::string_view ending;
  std::vector<std::string> options;
};

const std::vector<VideoFormat>& formats() {
  static const std::vector<VideoFormat> all = {
      {".mp4",
       {"-c:v", "libx264", "-preset", "fast", "-crf", "18", "-pix_fmt", "yuv420p", "-movflags", "+faststart",
        "-f", "mp4"}},
      {".webm",
       {"-c:v", "libvpx-vp9", "-crf", "28", "-b:v", "0", "-deadline", "good", "-cpu-used", "5", "-row-mt",
        "1", "-pix_fmt", "yuv420p", "-f", "webm"}},
      // A palette for each frame needs no second pass and no memory for the whole film.
      {".gif",
       {"-filter_complex",
        "split[a][b];[a]palettegen=stats_mode=single:max_colors=160[p];[b][p]paletteuse=new=1:dither=bayer:"
        "bayer_scale=5",
        "-loop", "0", "-f", "gif"}},
  };
  return all;
}

const VideoFormat* format_of(const std::string& path) {
  for (const VideoFormat& format : formats()) {
    if (path.ends_with(format.ending)) return &format;
  }
  return nullptr;
}

std::string contents(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

bool is_video_format(const std::string& path) { return format_of(path) != nullptr; }

VideoPipe::VideoPipe(std::string path, int width, int height, double frames_per_second)
    : path_(std::move(path)), part_(through_links(path_) + ".part"), log_(path_ + ".log") {
  const VideoFormat* format = format_of(path_);
  if (format == nullptr) throw InputError({path_}, "is no video: its name must end in .mp4, .webm or .gif");
  std::vector<std::string> words = {"ffmpeg",
                                    "-v",
                                    "error",
                                    "-nostdin",
                                    "-y",
                                    "-f",
                                    "rawvideo",
                                    "-pix_fmt",
                                    "bgra",
                                    "-video_size",
                                    fmt::format("{}x{}", width, height),
                                    "-framerate",
                                    fmt::format("{}", frames_per_second),
                                    "-i",
                                    "pipe:0",
                                    "-an"};
  words.insert(words.end(), format->options.begin(), format->options.end());
  words.push_back(part_);
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);

  std::ofstream(part_, std::ios::binary).close();
  if (!std::filesystem::exists(part_))
    throw InputError({path_}, fmt::format("cannot be written: {}", std::strerror(errno)));
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("cannot start ffmpeg: no pipe");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, log_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  // Its own group: Ctrl-C reaches this program, which ends ffmpeg in order.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
  sigset_t usual;
  sigemptyset(&usual);
  sigaddset(&usual, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &usual);
  const int error = ::posix_spawnp(&child_, "ffmpeg", &actions, &attributes, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  ::close(ends[0]);
  pipe_ = ends[1];
  if (error == 0) return;
  ::close(pipe_);
  child_ = -1;
  std::error_code ignored;
  std::filesystem::remove(part_, ignored);
  std::filesystem::remove(log_, ignored);
  if (error == ENOENT) {
    throw InputError(
        {},
        "videos need ffmpeg, which is not installed: `apt-get install ffmpeg`; a name that ends in "
        ".png gives a single frame without it");
  }
  throw std::runtime_error(fmt::format("cannot start ffmpeg: {}", std::strerror(error)));
}

VideoPipe::~VideoPipe() {
  if (child_ >= 0) {
    ::kill(child_, SIGKILL);
    if (pipe_ >= 0) ::close(pipe_);
    wait();
  }
  std::error_code ignored;
  std::filesystem::remove(part_, ignored);
  std::filesystem::remove(log_, ignored);
}

int VideoPipe::wait() {
  int state = 0;
  while (::waitpid(child_, &state, 0) < 0 && errno == EINTR) {
  }
  child_ = -1;
  return WIFEXITED(state) ? WEXITSTATUS(state) : 128;
}

void VideoPipe::fail() {
  if (pipe_ >= 0) ::close(pipe_);
  pipe_ = -1;
  if (child_ >= 0) wait();
  std::string words = contents(log_);
  while (!words.empty() && words.back() == '\n') words.pop_back();
  throw std::runtime_error(fmt::format("ffmpeg could not write '{}': {}", path_,
                                       words.empty() ? "it ended without a word" : words));
}

void VideoPipe::write(const draw::Image& frame) {
  const char* data = reinterpret_cast<const char*>(frame.pixels.data());
  std::size_t left = 4 * frame.pixels.size();
  while (left > 0) {
    const ssize_t written = ::write(pipe_, data, left);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) fail();
    data += written;
    left -= static_cast<std::size_t>(written);
  }
}

void VideoPipe::finish() {
  ::close(pipe_);
  pipe_ = -1;
  if (wait() != 0) fail();
  std::error_code error;
  std::filesystem::rename(part_, through_links(path_), error);
  if (error) throw std::runtime_error(fmt::format("cannot write '{}': {}", path_, error.message()));
}

}  // namespace catena::cli
