#pragma once
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

/* A macro of OpenSSL's, which Swift cannot call. */
static inline int ccrypto_error_reason(unsigned long code) { return ERR_GET_REASON(code); }
