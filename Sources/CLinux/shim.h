#pragma once
/* System calls that the C library has no portable face for. Each returns -1 and sets errno. */
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

/* Renames unless the new name exists (EEXIST). EINVAL where the file system cannot. */
static inline int clinux_rename_new(int from, const char *old_name, int to, const char *new_name) {
  return (int)syscall(SYS_renameat2, from, old_name, to, new_name, 1u /* RENAME_NOREPLACE */);
}

/* No core of this process is written, and no other process of its user may read its memory. */
static inline int clinux_keep_memory_private(void) {
  return prctl(PR_SET_DUMPABLE, 0L, 0L, 0L, 0L);
}

/* What a page needs is needed by the next one: the allocator keeps 16 MB instead of giving them back to
   the kernel and taking them anew, page by page. With a heap for each thread, what one lets go of is of no use
   to the others; with one for all they wait for each other. */
static inline void clinux_keep_freed_memory(void) {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 4000000);
  mallopt(M_TRIM_THRESHOLD, 16000000);
  mallopt(M_TOP_PAD, 1000000);
  mallopt(M_ARENA_MAX, 2);
#endif
}

/* Starts writing a file's dirty pages and does not wait for them. */
static inline int clinux_start_writing(int fd) {
  return (int)syscall(SYS_sync_file_range, fd, 0L, 0L, 2u /* SYNC_FILE_RANGE_WRITE */);
}

/* Of which kind the file system is that an open folder lies on; 0: unknown. */
static inline uint32_t clinux_file_system(int folder) {
  struct statfs facts;
  return fstatfs(folder, &facts) == 0 ? (uint32_t)facts.f_type : 0;
}

/* Syncs all of the file system that an open folder lies on. */
static inline int clinux_sync_all(int folder) { return (int)syscall(SYS_syncfs, folder); }

/* Whether the kernel is one of those whose syncfs tells of bytes that could not be written: 5.8, which is also
   the first to know this call. */
static inline int clinux_sync_all_tells(int folder) {
  return syscall(439L /* SYS_faccessat2 */, folder, ".", F_OK, 0) == 0;
}

/* A pipe that no child inherits, from its first instant: one that is started between pipe(2) and
   fcntl(2) by another thread would keep it open. */
/* A file in memory, closed in programs that are started; -1 where the system has none. */
static inline int clinux_memory_file(void) {
  return (int)syscall(SYS_memfd_create, "trawl", 1u /* MFD_CLOEXEC */);
}

static inline int clinux_pipe(int ends[2]) {
  return (int)syscall(SYS_pipe2, ends, O_CLOEXEC);
}

/* The next connection, likewise. */
static inline int clinux_accept(int listener) {
  return (int)syscall(SYS_accept4, listener, (void *)0, (void *)0, SOCK_CLOEXEC);
}

/* Nanoseconds of a clock; -1 if it cannot be read. In C, because the Swift compiler assigns struct timespec to
   whichever module it loads first, and refuses its members in files that import another one. */
static inline int64_t clinux_nanoseconds(clockid_t clock) {
  struct timespec time;
  return clock_gettime(clock, &time) == 0 ? time.tv_sec * 1000000000LL + time.tv_nsec : -1;
}
