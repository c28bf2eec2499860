// `catena` of packages: starts the program that was built for this processor, lib/catena/<level>/catena beside the
// folder that this one is in. CATENA_KERNELS in the environment names another level.
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "level.h"

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
