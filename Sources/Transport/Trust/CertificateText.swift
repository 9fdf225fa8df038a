internal import CCrypto

/// Certificates as PEM text, read as libcurl's TLS will read them: a file that it would refuse is refused before any
/// request.
enum CertificateText {
  /// What is wrong with it, for a message; nil: it holds certificates, and all of them can be read.
  static func problem(in bytes: [UInt8]) -> String? {
    let none =
      "holds no certificate as PEM text (a binary one becomes it by: "
      + "openssl x509 -inform DER -in FILE -out FILE.pem)"
    return bytes.withUnsafeBytes { (buffer) -> String? in
      guard let text = BIO_new_mem_buf(buffer.baseAddress, Int32(clamping: buffer.count)) else {
        return none
      }
      defer { BIO_free(text) }
      ERR_clear_error()
      var count = 0
      while let certificate = PEM_read_bio_X509(text, nil, nil, nil) {
        X509_free(certificate)
        count += 1
      }
      let reason = ccrypto_error_reason(ERR_peek_last_error())
      ERR_clear_error()
      // Every good file ends with this error: no further certificate begins.
      if reason != PEM_R_NO_START_LINE {
        return "is damaged: certificate \(count + 1) in it cannot be read"
      }
      return count > 0 ? nil : none
    }
  }
}
