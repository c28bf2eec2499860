#include "serve/site.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "catena/base/mistake.h"

namespace catena::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kTypes = {{
    {".html", "text/html; charset=utf-8"},
    {".js", "text/javascript; charset=utf-8"},
    {".css", "text/css; charset=utf-8"},
    {".wasm", "application/wasm"},
    {".json", "application/json"},
}};

constexpr std::string_view kPolicy =
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src blob:; style-src 'self'; img-src "
    "'self' "
    "data: blob:; media-src blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors "
    "'none'";

std::string response(std::string_view status, std::string_view type, std::string_view content,
                     bool with_body) {
  return fmt::format(
      "HTTP/1.1 {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nContent-Security-Policy: {}\r\n"
      "X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\nCross-Origin-Resource-Policy: "
      "same-origin\r\n"
      "Cache-Control: no-cache\r\nConnection: close\r\n\r\n{}",
      status, type, content.size(), kPolicy, with_body ? content : "");
}

std::string refusal_to_serve(std::string_view status) {
  return response(status, "text/plain; charset=utf-8", fmt::format("{}\n", status), true);
}

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

// The value of a header; several of one name count as none, since programs disagree on which one holds.
std::string header(std::string_view request, std::string_view name) {
  std::string found;
  int count = 0;
  for (std::size_t at = request.find("\r\n"); at != std::string_view::npos;) {
    const std::size_t start = at + 2, end = request.find("\r\n", start);
    const std::string_view line = request.substr(start, end == std::string_view::npos ? end : end - start);
    const std::size_t colon = line.find(':');
    if (colon != std::string_view::npos && lower(line.substr(0, colon)) == name) {
      std::string_view value = line.substr(colon + 1);
      while (!value.empty() && value.front() == ' ') value.remove_prefix(1);
      found = lower(value);
      ++count;
    }
    at = end;
  }
  return count == 1 ? found : "";
}

bool meant_for_here(const Site& site, const std::string& host) {
  return host == fmt::format("127.0.0.1:{}", site.port) || host == fmt::format("localhost:{}", site.port);
}

}  // namespace

Site site_from(const std::string& folder) {
  Site site;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    for (const auto& [ending, type] : kTypes) {
      if (!entry.is_regular_file() || !name.ends_with(ending)) continue;
      std::ifstream file(entry.path(), std::ios::binary);
      site.files["/" + name] = {std::string(type), {std::istreambuf_iterator<char>(file), {}}};
    }
  }
  const auto index = site.files.find("/index.html");
  if (index == site.files.end()) throw InputError({folder}, "has no page in it");
  site.files["/"] = index->second;
  return site;
}

std::string answer(const Site& site, std::string_view request) {
  const std::string_view line = request.substr(0, request.find("\r\n"));
  const std::size_t space = line.find(' '), second = line.rfind(' ');
  if (space == std::string_view::npos || second == space) return refusal_to_serve("400 Bad Request");
  if (!meant_for_here(site, header(request, "host"))) return refusal_to_serve("421 Misdirected Request");
  const std::string_view method = line.substr(0, space);
  if (method != "GET" && method != "HEAD") return refusal_to_serve("405 Method Not Allowed");
  std::string_view path = line.substr(space + 1, second - space - 1);
  path = path.substr(0, path.find('?'));
  const auto found = site.files.find(path);
  if (found == site.files.end()) return refusal_to_serve("404 Not Found");
  return response("200 OK", found->second.type, found->second.content, method == "GET");
}

}  // namespace catena::cli
