/* The job files of the top-level folder jobs, compiled in, so that the bare binary knows them. */
#pragma once
#include <stddef.h>

/* One job file: its name without `.json5`, and its text, which no NUL ends. */
typedef struct {
  const char *name;
  const unsigned char *text;
  size_t length;
} built_in_job;

/* In the order of their files; the name of the last is NULL. */
const built_in_job *built_in_jobs(void);
