// What `catena lab` serves: a fixed set of files in memory, and nothing else.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace catena::cli {

struct ServedFile {
  std::string type;
  std::string content;
};

struct Site {
  std::map<std::string, ServedFile, std::less<>> files;  // by path: "/lab.js"
  int port = 0;                                          // that it is reached at, for the check of Host
};

// The files of a folder that the page consists of; "/" is index.html. Throws InputError without one.
Site site_from(const std::string& folder);

// The whole answer to the head of a request. Refuses other methods than GET and HEAD, and requests meant for
// another host: a page elsewhere whose name was made to point here must not read anything.
std::string answer(const Site& site, std::string_view request);

}  // namespace catena::cli
