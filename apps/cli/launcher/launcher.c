// `catena` of packages: starts the program that was built for this processor, lib/catena/<level>/catena beside the
// folder that this one is in. CATENA_KERNELS in the environment names another level.
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char* level(void) {
  const char* asked = getenv("CATENA_KERNELS");
  if (asked != NULL && *asked != '\0') return asked;
#if defined(__x86_64__)
  __builtin_cpu_init();
  return __builtin_cpu_supports("x86-64-v3") ? "x86-64-v3" : "x86-64-v2";
#else
  return CATENA_MACHINE;
#endif
}

int main(int count, char** words) {
  char here[PATH_MAX], program[2 * PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", here, sizeof here - 1);
  if (count < 1 || length <= 0) {
    fputs("catena: cannot tell where it is installed: is /proc there?\n", stderr);
    return 1;
  }
  here[length] = '\0';
  snprintf(program, sizeof program, "%s/../lib/catena/%s/catena", dirname(here), level());
  execv(program, words);
  fprintf(stderr, "catena: cannot start '%s': ", program);
  perror(NULL);
  return 1;
}
