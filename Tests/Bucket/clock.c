// A wall clock that is CLOCK_OFF seconds off, for the program that this is preloaded into. The steady clock goes on
// as it is. libfaketime moves the environment, behind which a Swift program looks for its arguments.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

static time_t off(void) {
  const char *text = getenv("CLOCK_OFF");
  return text ? atol(text) : 0;
}

int clock_gettime(clockid_t clock, struct timespec *at) {
  static int (*real)(clockid_t, struct timespec *);
  if (!real) real = dlsym(RTLD_NEXT, "clock_gettime");
  int code = real(clock, at);
  if (code == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) at->tv_sec += off();
  return code;
}

int gettimeofday(struct timeval *at, void *zone) {
  (void)zone;
  struct timespec now;
  int code = clock_gettime(CLOCK_REALTIME, &now);
  at->tv_sec = now.tv_sec;
  at->tv_usec = now.tv_nsec / 1000;
  return code;
}

time_t time(time_t *at) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (at) *at = now.tv_sec;
  return now.tv_sec;
}
