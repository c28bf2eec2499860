// The commands in the module of a wheel: apps/cli/launcher/loader.c calls them, so that program and module
// share the library.
#include "command_line.h"

extern "C" __attribute__((visibility("default"))) int catena_command_line(int count, char** words) {
  return catena::cli::command_line(count, words);
}
