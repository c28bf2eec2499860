// Ctrl-C, SIGTERM and a closed terminal end a run in an orderly way: what was computed is kept.
#pragma once

#include <atomic>

namespace catena::cli {

// Set by the first SIGINT, SIGTERM or SIGHUP after watch_interrupts(). The second one ends the program at
// once.
std::atomic<bool>& interrupted();

// From here on signals end the run, not the program. SIGPIPE and SIGXFSZ become errors of writing: a reader
// that has seen enough, or a limit on files, must not cost the files their rows.
void watch_interrupts();

}  // namespace catena::cli
