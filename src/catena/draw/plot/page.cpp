#include "catena/draw/plot/page.h"

#include <fmt/format.h>

#include <filesystem>

namespace catena::draw {
namespace {

constexpr const char* kStyle =
    R"(:root { color-scheme: light dark; --paper: #fff; --ink: #1d2126; --muted: #5f666e; --line: #e3e5e8; }
@media (prefers-color-scheme: dark) { :root { --paper: #14171c; --ink: #e8ebef; --muted: #98a1ac; --line: #2a2f37; } }
body { margin: 0 auto; max-width: 60rem; padding: 2.5rem 1.5rem; background: var(--paper); color: var(--ink);
  font: 16px/1.5 "Open Sans", system-ui, sans-serif; }
h1 { font-size: 1.6rem; margin: 0 0 .2rem; } h2 { font-size: 1.1rem; margin: 0 0 .2rem; }
p { margin: 0 0 .6rem; color: var(--muted); } figure { margin: 2.5rem 0 0; }
img, video { width: 100%; border: 1px solid var(--line); border-radius: 8px; display: block; background: #fff; }
code { font: 13px/1.5 ui-monospace, "DejaVu Sans Mono", monospace; color: var(--ink); }
table { border-collapse: collapse; margin-top: 1rem; } td { padding: .1rem 1.2rem .1rem 0; }
td:first-child { color: var(--muted); } a { color: inherit; } figcaption { margin-top: .6rem; })";

std::string links(const PageFigure& figure) {
  std::string out;
  for (const std::string& file : figure.others) {
    const std::string kind = std::filesystem::path(file).extension().string().substr(1);
    out += fmt::format(" <a href=\"{}\">{}</a>", escaped(file), escaped(kind));
  }
  return out;
}

std::string figure_html(const PageFigure& figure) {
  const bool moves = figure.file.ends_with(".mp4") || figure.file.ends_with(".webm");
  const std::string shown =
      moves ? fmt::format("<video src=\"{}\" controls loop muted autoplay playsinline></video>",
                          escaped(figure.file))
            : fmt::format("<img src=\"{}\" alt=\"{}\">", escaped(figure.file), escaped(figure.title));
  const std::string command =
      figure.command.empty() ? "" : fmt::format("<p><code>{}</code></p>\n", escaped(figure.command));
  return fmt::format("<figure>\n{}\n<figcaption><h2>{}</h2>\n<p>{}{}</p>\n{}</figcaption>\n</figure>\n",
                     shown, escaped(figure.title), escaped(figure.caption), links(figure), command);
}

}  // namespace

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '"') {
      out += "&quot;";
    } else {
      out += c;
    }
  }
  return out;
}

std::string html(const Page& page) {
  std::string out = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"{}\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" "
      "content=\"width=device-width\">\n<title>{}</title>\n<style>\n{}\n</style>\n</head>\n"
      "<body>\n<h1>{}</h1>\n<p>{}</p>\n",
      page.language, escaped(page.title), kStyle, escaped(page.title), escaped(page.note));
  if (!page.command.empty()) out += fmt::format("<p><code>{}</code></p>\n", escaped(page.command));
  if (!page.facts.empty()) {
    out += "<table>\n";
    for (const auto& [name, value] : page.facts) {
      out += fmt::format("<tr><td>{}</td><td>{}</td></tr>\n", escaped(name), escaped(value));
    }
    out += "</table>\n";
  }
  for (const PageFigure& figure : page.figures) out += figure_html(figure);
  return out + "</body>\n</html>\n";
}

}  // namespace catena::draw
