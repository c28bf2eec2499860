#include "catena/base/links.h"

#include <unistd.h>

#include <array>
#include <utility>

namespace catena {

std::string through_links(std::string path) {
  constexpr int kMost = 40;  // as systems have it: more are a circle
  for (int i = 0; i < kMost; ++i) {
    std::array<char, 4096> name{};
    const ssize_t size = ::readlink(path.c_str(), name.data(), name.size());
    if (size <= 0 || static_cast<std::size_t>(size) >= name.size()) return path;
    std::string target(name.data(), static_cast<std::size_t>(size));
    const std::size_t folder = path.rfind('/');
    if (target.front() != '/' && folder != std::string::npos) target = path.substr(0, folder + 1) + target;
    path = std::move(target);
  }
  return path;
}

}  // namespace catena
