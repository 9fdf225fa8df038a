#pragma once
/* Debian's library has it; the tests look at what is written by it. */
#define SQLITE_ENABLE_PREUPDATE_HOOK
#include <sqlite3.h>

/* SQLITE_TRANSIENT is a cast of -1 that Swift does not import: SQLite copies the bytes at once. */
static inline int csqlite_bind_text(sqlite3_stmt *s, int at, const char *text, sqlite3_uint64 bytes) {
  return sqlite3_bind_text64(s, at, text, bytes, SQLITE_TRANSIENT, SQLITE_UTF8);
}
/* The caller keeps the text as it is until the statement has run. */
static inline int csqlite_lend_text(sqlite3_stmt *s, int at, const char *text, sqlite3_uint64 bytes) {
  return sqlite3_bind_text64(s, at, text, bytes, SQLITE_STATIC, SQLITE_UTF8);
}
static inline int csqlite_bind_blob(sqlite3_stmt *s, int at, const void *bytes, sqlite3_uint64 count) {
  return sqlite3_bind_blob64(s, at, bytes, count, SQLITE_TRANSIENT);
}
static inline void csqlite_result_blob(sqlite3_context *c, const void *bytes, sqlite3_uint64 count) {
  sqlite3_result_blob64(c, bytes, count, SQLITE_TRANSIENT);
}

static inline void csqlite_result_text(sqlite3_context *c, const char *text, sqlite3_uint64 bytes) {
  sqlite3_result_text64(c, text, bytes, SQLITE_TRANSIENT, SQLITE_UTF8);
}

/* Swift cannot call functions with variable arguments. Of the whole process, before the library's
   first use: SQLite no longer counts its memory, which takes a lock at each allocation. */
static inline int csqlite_stop_counting_memory(void) {
  return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

/* Switches of one connection, 0 or 1. */
static inline int csqlite_config(sqlite3 *db, int option, int value) {
  return sqlite3_db_config(db, option, value, (int *)0);
}
