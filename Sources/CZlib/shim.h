#pragma once
#include <zlib.h>

/* gzip only: 15 bits of window, 16 asks for the gzip wrapper with its check sum and length. */
static inline int czlib_start_gunzip(z_stream *stream) {
  return inflateInit2(stream, 15 + 16);
}
