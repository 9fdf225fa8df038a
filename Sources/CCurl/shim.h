#pragma once
#include <curl/curl.h>

#if LIBCURL_VERSION_NUM < 0x075000
#error "libcurl 7.80 or later is needed (CURLOPT_PREREQFUNCTION)"
#endif

/* One typed setter per kind of argument: Swift cannot call variadic functions. */

typedef size_t (*ccurl_bytes_fn)(char *, size_t, size_t, void *);
typedef curl_socket_t (*ccurl_socket_fn)(void *, curlsocktype, struct curl_sockaddr *);
typedef int (*ccurl_prereq_fn)(void *, char *, char *, int, int);
typedef int (*ccurl_debug_fn)(CURL *, curl_infotype, char *, size_t, void *);

static inline CURLcode ccurl_set_long(CURL *h, CURLoption o, long v) {
  return curl_easy_setopt(h, o, v);
}
static inline CURLcode ccurl_set_string(CURL *h, CURLoption o, const char *v) {
  return curl_easy_setopt(h, o, v);
}
static inline CURLcode ccurl_set_pointer(CURL *h, CURLoption o, void *v) {
  return curl_easy_setopt(h, o, v);
}
/* A POST of bytes, which libcurl copies. */
static inline CURLcode ccurl_set_post(CURL *h, const void *bytes, size_t count) {
  CURLcode code = curl_easy_setopt(h, CURLOPT_POST, 1L);
  if (code == CURLE_OK) code = curl_easy_setopt(h, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)count);
  if (code != CURLE_OK) return code;
  return curl_easy_setopt(h, CURLOPT_COPYPOSTFIELDS, count > 0 ? bytes : "");
}
/* The same for bytes that outlive the transfer. */
static inline CURLcode ccurl_lend_post(CURL *h, const void *bytes, size_t count) {
  CURLcode code = curl_easy_setopt(h, CURLOPT_POST, 1L);
  if (code == CURLE_OK) code = curl_easy_setopt(h, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)count);
  if (code != CURLE_OK) return code;
  return curl_easy_setopt(h, CURLOPT_POSTFIELDS, count > 0 ? bytes : "");
}
static inline CURLcode ccurl_set_list(CURL *h, CURLoption o, struct curl_slist *v) {
  return curl_easy_setopt(h, o, v);
}
static inline CURLcode ccurl_set_bytes_fn(CURL *h, CURLoption o, ccurl_bytes_fn f) {
  return curl_easy_setopt(h, o, f);
}
static inline CURLcode ccurl_set_socket_fn(CURL *h, ccurl_socket_fn f) {
  return curl_easy_setopt(h, CURLOPT_OPENSOCKETFUNCTION, f);
}
static inline CURLcode ccurl_set_prereq_fn(CURL *h, ccurl_prereq_fn f) {
  return curl_easy_setopt(h, CURLOPT_PREREQFUNCTION, f);
}
static inline CURLcode ccurl_set_debug_fn(CURL *h, ccurl_debug_fn f) {
  return curl_easy_setopt(h, CURLOPT_DEBUGFUNCTION, f);
}
static inline CURLMcode ccurl_multi_set_long(CURLM *m, CURLMoption o, long v) {
  return curl_multi_setopt(m, o, v);
}

/* Trusted certificates as PEM in memory, which libcurl copies. */
static inline CURLcode ccurl_set_issuers(CURL *h, const void *bytes, size_t count) {
  struct curl_blob blob = {(void *)bytes, count, CURL_BLOB_COPY};
  return curl_easy_setopt(h, CURLOPT_CAINFO_BLOB, &blob);
}

/* The file of certificates that libcurl was built to read; NULL without one. */
static inline const char *ccurl_built_in_issuers(void) {
  return curl_version_info(CURLVERSION_NOW)->cainfo;
}

/* http and https alone; the option has a newer spelling since 7.85. */
static inline CURLcode ccurl_only_http(CURL *h) {
#if LIBCURL_VERSION_NUM >= 0x075500
  return curl_easy_setopt(h, CURLOPT_PROTOCOLS_STR, "http,https");
#else
  return curl_easy_setopt(h, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
}
/* Do not wait for a name server when a transfer is taken away; libcurl has it since 7.87. */
static inline CURLcode ccurl_leave_resolver_behind(CURL *h) {
#if LIBCURL_VERSION_NUM >= 0x075700
  return curl_easy_setopt(h, CURLOPT_QUICK_EXIT, 1L);
#else
  (void)h;
  return CURLE_OK;
#endif
}

static inline CURLcode ccurl_get_long(CURL *h, CURLINFO i, long *v) {
  return curl_easy_getinfo(h, i, v);
}

/* CURLMsg holds a union; flattened: 1 and both outs when a transfer is done. */
static inline int ccurl_next_done(CURLM *m, CURL **easy, CURLcode *code) {
  int left;
  CURLMsg *msg;
  while ((msg = curl_multi_info_read(m, &left))) {
    if (msg->msg == CURLMSG_DONE) {
      *easy = msg->easy_handle;
      *code = msg->data.result;
      return 1;
    }
  }
  return 0;
}
