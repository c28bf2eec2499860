// Debian's static HDF5 is made for programs: it reaches for stderr and stdout in a way that a shared library cannot. There
// (portable_libraries.cmake) it calls them by these names, which are ours.
#include <stdio.h>

__attribute__((visibility("hidden"))) FILE *catena_stderr, *catena_stdout;

__attribute__((constructor)) static void name_streams(void) {
  catena_stderr = stderr;
  catena_stdout = stdout;
}
