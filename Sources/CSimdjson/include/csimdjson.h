#pragma once
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How many zero bytes must follow the text that csimdjson_parse is given. */
enum { CSIMDJSON_PADDING = 64 };

/* Codes of our own; every code of simdjson is positive. */
enum { CSIMDJSON_OK = 0, CSIMDJSON_NO_MEMORY = -1, CSIMDJSON_REFUSED = -2 };

/* A finished tape. The owner keeps both arrays alive until csimdjson_free. */
typedef struct csimdjson_tape {
  void *_Nullable owner;
  const uint64_t *_Nullable words;
  const uint8_t *_Nullable strings;
  int32_t code;
} csimdjson_tape;

/*
 * Parses one document. The words are simdjson's documented tape with one addition: the word of each
 * number (tags l, u and d) carries in its low 56 bits the offset of the number in the text.
 * `depth_max` is the deepest nesting that is accepted. Nothing is kept of the text itself.
 */
csimdjson_tape csimdjson_parse(const uint8_t *_Nonnull padded, size_t length, size_t depth_max);

void csimdjson_free(void *_Nullable owner);

#ifdef __cplusplus
}
#endif
