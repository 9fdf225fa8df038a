#include "csimdjson.h"

#include <simdjson.h>

#include <memory>
#include <new>

static_assert(CSIMDJSON_PADDING >= simdjson::SIMDJSON_PADDING, "the padding must suffice");

namespace {

using Parser = simdjson::internal::dom_parser_implementation;
using simdjson::dom::document;

/// Writes into the word of each number where it stands in the text. Every structural index but
/// those of ',' and ':' has exactly one word on the tape, and a number has its value after it.
/// False if the two do not agree to the last word: then the tape is not what its format says.
bool place_numbers(uint64_t *words, const Parser &parser, const uint8_t *text) {
  const uint32_t *offsets = parser.structural_indexes.get();
  const uint64_t payload = (uint64_t(1) << 56) - 1;
  const size_t end = size_t(words[0] & payload) - 1;
  size_t at = 1;
  for (uint32_t i = 0; i < parser.n_structural_indexes; i++) {
    const uint8_t first = text[offsets[i]];
    if (first == ',' || first == ':') continue;
    if (at >= end) return false;
    const bool number = first == '-' || uint8_t(first - '0') < 10;
    if (number) words[at] |= offsets[i];
    at += number ? 2 : 1;
  }
  return at == end;
}

int32_t parse(const uint8_t *padded, size_t length, size_t depth_max, document &into) {
  // simdjson's own parser class takes the same steps, but keeps the structural indexes private.
  const size_t capacity = length < 32 ? 32 : length;
  std::unique_ptr<Parser> parser;
  // simdjson counts the document itself as a level.
  auto code = simdjson::get_active_implementation()->create_dom_parser_implementation(
      capacity, depth_max + 1, parser);
  if (code) return code == simdjson::MEMALLOC ? CSIMDJSON_NO_MEMORY : int32_t(code);
  code = into.allocate(capacity);
  if (code) return CSIMDJSON_NO_MEMORY;
  code = parser->parse(padded, length, into);
  if (code) return int32_t(code);
  return place_numbers(into.tape.get(), *parser, padded) ? CSIMDJSON_OK : CSIMDJSON_REFUSED;
}

}  // namespace

extern "C" csimdjson_tape csimdjson_parse(
    const uint8_t *padded, size_t length, size_t depth_max) {
  csimdjson_tape tape = {nullptr, nullptr, nullptr, CSIMDJSON_REFUSED};
  try {
    auto kept = std::make_unique<document>();
    tape.code = parse(padded, length, depth_max, *kept);
    if (tape.code == CSIMDJSON_OK) {
      tape.words = kept->tape.get();
      tape.strings = kept->string_buf.get();
      tape.owner = kept.release();
    }
  } catch (const std::bad_alloc &) {
    tape.code = CSIMDJSON_NO_MEMORY;
  } catch (...) {
    tape.code = CSIMDJSON_REFUSED;
  }
  return tape;
}

extern "C" void csimdjson_free(void *owner) { delete static_cast<document *>(owner); }
