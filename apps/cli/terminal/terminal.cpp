#include "terminal/terminal.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace catena::cli {
namespace {

int descriptor(Stream stream) { return stream == Stream::out ? STDOUT_FILENO : STDERR_FILENO; }

bool has_text(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

// Whether the terminal understands more than plain lines.
bool is_capable(Stream stream) {
  const char* kind = std::getenv("TERM");
  return is_terminal(stream) && kind != nullptr && std::string_view(kind) != "dumb";
}

std::string bar(double fraction) {
  constexpr int kCells = 24;
  const int full = static_cast<int>(std::lround(fraction * kCells));
  return std::string(full, '#') + std::string(kCells - full, '.');
}

}  // namespace

bool is_terminal(Stream stream) { return ::isatty(descriptor(stream)) == 1; }

std::string emphasised(std::string_view text, Emphasis emphasis, Stream stream) {
  if (!is_capable(stream) || has_text("NO_COLOR")) return std::string(text);
  const char* code = emphasis == Emphasis::bold ? "1" : emphasis == Emphasis::error ? "1;31" : "2";
  return fmt::format("\033[{}m{}\033[0m", code, text);
}

int line_width() {
  constexpr int kUsual = 100;
  struct winsize size {};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kUsual;
  return std::clamp<int>(size.ws_col, 60, 120);
}

std::string waiting_time(double seconds) {
  if (!(seconds < 1e9)) return "a long time";
  if (seconds < 99.5) return fmt::format("{:.0f} s", std::max(1.0, seconds));
  if (seconds < 5400.0) return fmt::format("{:.0f} min", seconds / 60);
  if (seconds < 2 * 86400.0) return fmt::format("{:.0f} h", seconds / 3600);
  return fmt::format("{:.0f} days", seconds / 86400);
}

ProgressBar::ProgressBar(bool wanted) : wanted_(wanted && is_capable(Stream::err)) {}

void ProgressBar::update(double time, double end) {
  if (!wanted_ || !(end > 0.0)) return;
  if (first_time_ < 0.0) first_time_ = time;
  const Clock::time_point now = Clock::now();
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  constexpr auto kInterval = std::chrono::milliseconds(100);
  if (elapsed < 0.5 || now - drawn_ < kInterval) return;
  drawn_ = now;
  shown_ = true;
  const double fraction = std::clamp(time / end, 0.0, 1.0);
  const double here = (time - first_time_) / std::max(end - first_time_, 1e-300);
  const std::string left =
      here > 0.0 ? fmt::format(", {} left", waiting_time(elapsed * (1 - here) / here)) : "";
  fmt::print(stderr, "\r[{}] {:3.0f} %  t = {:.4g} of {:g} s{}\033[K", bar(fraction),
             std::floor(100 * fraction), time, end, left);
  std::fflush(stderr);
}

void ProgressLines::update(double time, double end) {
  const Clock::time_point now = Clock::now();
  constexpr auto kInterval = std::chrono::milliseconds(100);
  if (!wanted_ || now - written_ < kInterval) return;
  written_ = now;
  fmt::print(stderr, "progress {:.9g} {:.9g}\n", time, end);
  std::fflush(stderr);
}

void ProgressBar::clear() {
  if (!shown_) return;
  fmt::print(stderr, "\r\033[K");
  std::fflush(stderr);
  shown_ = false;
}

}  // namespace catena::cli
