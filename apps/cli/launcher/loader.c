// `catena` of a wheel: the commands are in the Python module, so that nothing is there twice. This program loads the module that was built
// for this processor, _kernels_of/<level>/_engine.*.so of the package that it is in, and calls them. What the module would ask of
// Python has names here (python_names.c) and nothing behind them: commands never do. What it draws by, Cairo, is here: Debian's static one
// cannot stand in a module. CATENA_ENGINE in the environment names another file.
#include <dlfcn.h>
#include <glob.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "level.h"

typedef int command_line(int count, char** words);

// The module's file; NULL where it is told why there is none.
static const char* engine(void) {
  static char here[PATH_MAX], pattern[2 * PATH_MAX];
  static glob_t found;
  const char* asked = getenv("CATENA_ENGINE");
  if (asked != NULL && *asked != '\0') {
    snprintf(pattern, sizeof pattern, "%s", asked);
    unsetenv("CATENA_ENGINE");  // of this installation, and no other that is started from here
    return pattern;
  }
  const ssize_t length = readlink("/proc/self/exe", here, sizeof here - 1);
  if (length <= 0) {
    fputs("catena: cannot tell where it is installed: is /proc there?\n", stderr);
    return NULL;
  }
  here[length] = '\0';
  snprintf(pattern, sizeof pattern, "%s/../../_kernels_of/%s/_engine.*.so", dirname(here), level());
  if (glob(pattern, 0, NULL, &found) == 0 && found.gl_pathc > 0) return found.gl_pathv[0];
  fprintf(stderr, "catena: there is no %s; `python -m catena` may unpack it\n", pattern);
  return NULL;
}

int main(int count, char** words) {
  const char* file = engine();
  if (count < 1 || file == NULL) return 1;
  void* module = dlopen(file, RTLD_LAZY | RTLD_LOCAL);
  command_line* commands = NULL;
  if (module != NULL) *(void**)&commands = dlsym(module, "catena_command_line");
  if (commands == NULL) {
    fprintf(stderr, "catena: cannot start: %s\n", dlerror());
    return 1;
  }
  return commands(count, words);
}
