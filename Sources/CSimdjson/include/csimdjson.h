#pragma once
#ifdef __cplusplus
extern "C" {
#endif
/* Filled in with the JSON module. */
int csimdjson_placeholder(void);
#ifdef __cplusplus
}
#endif
