// A page of HTML that shows figures, each with its caption and the command that made it.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace catena::draw {

struct PageFigure {
  std::string file;                 // beside the page: .png, .svg, .mp4, ..
  std::vector<std::string> others;  // the same in other formats, beside the page
  std::string title, caption;
  std::string command = {};  // empty: that of the page
};

struct Page {
  std::string title, note;
  std::string language = "en";
  std::string command;
  std::vector<std::pair<std::string, std::string>> facts;  // name, value
  std::vector<PageFigure> figures;
};

std::string html(const Page& page);

// "a < b" as HTML shows it.
std::string escaped(const std::string& text);

}  // namespace catena::draw
