#define _GNU_SOURCE 1
#include "cepoll.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

const uint32_t cepoll_in = EPOLLIN;
const uint32_t cepoll_out = EPOLLOUT;
const uint32_t cepoll_gone = EPOLLHUP | EPOLLERR;
const uint32_t cepoll_half_closed = EPOLLRDHUP;
const uint32_t cepoll_exclusive = EPOLLEXCLUSIVE;

static int control(int set, int operation, int descriptor, uint32_t events) {
  struct epoll_event event = { .events = events, .data = { .fd = descriptor } };
  return epoll_ctl(set, operation, descriptor, &event);
}

int cepoll_create(void) { return epoll_create1(EPOLL_CLOEXEC); }

int cepoll_add(int set, int descriptor, uint32_t events) {
  return control(set, EPOLL_CTL_ADD, descriptor, events);
}

int cepoll_change(int set, int descriptor, uint32_t events) {
  return control(set, EPOLL_CTL_MOD, descriptor, events);
}

int cepoll_remove(int set, int descriptor) { return control(set, EPOLL_CTL_DEL, descriptor, 0); }

int cepoll_wait(int set, cepoll_ready *ready, int milliseconds) {
  struct epoll_event events[CEPOLL_READY_MAX];
  int count = epoll_wait(set, events, CEPOLL_READY_MAX, milliseconds);
  for (int i = 0; i < count; i++) {
    ready[i].descriptor = events[i].data.fd;
    ready[i].events = events[i].events;
  }
  return count;
}

int cepoll_event_descriptor(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

int cepoll_accept(int listener) {
  return accept4(listener, 0, 0, SOCK_NONBLOCK | SOCK_CLOEXEC);
}
