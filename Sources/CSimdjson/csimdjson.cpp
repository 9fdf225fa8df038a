#include "csimdjson.h"
#include <simdjson.h>
int csimdjson_placeholder(void) { return simdjson::SIMDJSON_VERSION_MAJOR; }
