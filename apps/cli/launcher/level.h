/* Which of the builds in a package fits this processor. */
#pragma once

#include <stdlib.h>

/* CATENA_KERNELS in the environment names another one. */
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
