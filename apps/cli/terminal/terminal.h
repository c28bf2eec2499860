// What is only for eyes: colours and the progress bar. Both need a terminal.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace catena::cli {

enum class Stream { out, err };
enum class Emphasis { bold, error, faint };

bool is_terminal(Stream stream);

// The text as the stream can show it: with colour on a terminal, unless NO_COLOR or TERM=dumb forbids.
std::string emphasised(std::string_view text, Emphasis emphasis, Stream stream);

// How many characters a line of help or of a table may have.
int line_width();

// "3 s", "4 min", "2 h": a time left to wait.
std::string waiting_time(double seconds);

// A bar on standard error that shows itself once a run takes longer than half a second.
class ProgressBar {
 public:
  explicit ProgressBar(bool wanted);
  ~ProgressBar() { clear(); }
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void update(double time, double end);
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  bool wanted_;
  bool shown_ = false;
  Clock::time_point start_ = Clock::now();
  Clock::time_point drawn_{};
  double first_time_ = -1.0;  // where the run stood at the first update: a resumed one not at 0
};

// For programs: lines "progress TIME END" on standard error, a few each second.
class ProgressLines {
 public:
  explicit ProgressLines(bool wanted) : wanted_(wanted) {}
  void update(double time, double end);

 private:
  using Clock = std::chrono::steady_clock;

  bool wanted_;
  Clock::time_point written_{};
};

}  // namespace catena::cli
