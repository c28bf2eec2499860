// Files that are written beside their place and then renamed into it, where a symbolic link may stand.
#pragma once

#include <string>

namespace catena {

// Where a path leads once symbolic links are followed, whether or not something is there yet: a rename onto
// the path itself would replace the link.
std::string through_links(std::string path);

}  // namespace catena
