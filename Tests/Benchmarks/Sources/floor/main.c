// `floor FROM TABLE TO`: a table's rows, ready in memory, bound into the same table of a new file.
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static sqlite3_value *rows[200000][32];

static void ok(sqlite3 *db, int code) {
  if (code == SQLITE_OK || code == SQLITE_ROW || code == SQLITE_DONE) return;
  fprintf(stderr, "floor: %s\n", sqlite3_errmsg(db)), exit(1);
}

int main(int words, char **word) {
  sqlite3 *from, *to;
  sqlite3_stmt *read, *insert;
  struct timespec start, end;
  if (words != 4) return 64;
  ok(from, sqlite3_open(word[1], &from)), ok(to, sqlite3_open(word[3], &to));
  ok(from, sqlite3_prepare_v2(from, sqlite3_mprintf("SELECT * FROM %Q", word[2]), -1, &read, 0));
  int count = 0, columns = sqlite3_column_count(read);
  for (; count < 200000 && columns <= 32 && sqlite3_step(read) == SQLITE_ROW; count++)
    for (int i = 0; i < columns; i++) rows[count][i] = sqlite3_value_dup(sqlite3_column_value(read, i));
  ok(from, sqlite3_prepare_v2(from, sqlite3_mprintf("SELECT sql, 'INSERT INTO ' || name || ' VALUES (?' || "
      "replace(hex(zeroblob(%d)), '00', ', ?') || ')' FROM sqlite_schema WHERE name = %Q", columns - 1, word[2]), -1, &read, 0));
  ok(from, sqlite3_step(read));
  ok(to, sqlite3_exec(to, "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -8192; PRAGMA wal_autocheckpoint = 4000", 0, 0, 0));
  ok(to, sqlite3_exec(to, (const char *)sqlite3_column_text(read, 0), 0, 0, 0));
  ok(to, sqlite3_prepare_v2(to, (const char *)sqlite3_column_text(read, 1), -1, &insert, 0));
  const clock_t used = (clock_gettime(CLOCK_MONOTONIC, &start), clock());
  for (int row = 0; row < count; row++) {
    if (row % 100 == 0) ok(to, sqlite3_exec(to, "BEGIN IMMEDIATE", 0, 0, 0));
    for (int i = 0; i < columns; i++) ok(to, sqlite3_bind_value(insert, i + 1, rows[row][i]));
    ok(to, sqlite3_step(insert)), ok(to, sqlite3_reset(insert));
    if (row % 100 == 99 || row == count - 1) ok(to, sqlite3_exec(to, "COMMIT", 0, 0, 0));
  }
  sqlite3_finalize(insert), ok(to, sqlite3_close(to)), clock_gettime(CLOCK_MONOTONIC, &end);
  return printf("%d %f %f\n", count, end.tv_sec - start.tv_sec + (end.tv_nsec - start.tv_nsec) / 1e9,
      (double)(clock() - used) / CLOCKS_PER_SEC) < 0;
}
