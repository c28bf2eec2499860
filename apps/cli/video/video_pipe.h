// Frames into a video file, through ffmpeg.
#pragma once

#include <sys/types.h>

#include <string>

#include "catena/draw/canvas.h"

namespace catena::cli {

class VideoPipe {
 public:
  // Starts ffmpeg, which writes FILE.part. Throws InputError when it is not installed or the ending is none
  // of .mp4 .webm .gif.
  VideoPipe(std::string path, int width, int height, double frames_per_second);
  // Unless finished: ends ffmpeg and removes FILE.part.
  ~VideoPipe();
  VideoPipe(const VideoPipe&) = delete;
  VideoPipe& operator=(const VideoPipe&) = delete;

  void write(const draw::Image& frame);  // throws std::runtime_error with ffmpeg's own words
  void finish();                         // the file has its name afterwards

 private:
  [[noreturn]] void fail();
  int wait();

  std::string path_, part_, log_;
  pid_t child_ = -1;
  int pipe_ = -1;
};

// Whether ffmpeg writes files of this name's ending.
bool is_video_format(const std::string& path);

}  // namespace catena::cli
