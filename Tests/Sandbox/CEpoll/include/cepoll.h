/* What Swift's own C module leaves out: epoll, event descriptors and accept4. A target of its own
   and not a header alone, since they need _GNU_SOURCE, with which Swift's module of libc is not
   built. */
#pragma once
#include <stdint.h>

extern const uint32_t cepoll_in;
extern const uint32_t cepoll_out;
extern const uint32_t cepoll_gone;
extern const uint32_t cepoll_half_closed;
extern const uint32_t cepoll_exclusive;

/* One ready descriptor. */
typedef struct { int32_t descriptor; uint32_t events; } cepoll_ready;
#define CEPOLL_READY_MAX 256

int cepoll_create(void);
int cepoll_add(int set, int descriptor, uint32_t events);
int cepoll_change(int set, int descriptor, uint32_t events);
int cepoll_remove(int set, int descriptor);
/* Fills at most CEPOLL_READY_MAX entries; the count, or -1 with errno. */
int cepoll_wait(int set, cepoll_ready *ready, int milliseconds);
int cepoll_event_descriptor(void);
/* The accepted socket does not block and is closed by exec. */
int cepoll_accept(int listener);
