// A small web server on the loopback interface.
#pragma once

#include <functional>

#include "serve/site.h"

namespace catena::cli {

// Serves until the program is interrupted. `port` 0: any free one. `ready` is told the port. Throws
// std::runtime_error when the port cannot be had.
void serve(Site site, int port, const std::function<void(int port)>& ready);

}  // namespace catena::cli
