internal import CCrypto

/// Certificates as PEM text, read as libcurl's TLS will read them: a file that it would refuse is refused before any
/// request.
enum CertificateText {
  enum Content: Equatable {
    case certificates(Int)
    case none
    /// The number of the broken one in the file, from 1.
    case broken(Int)
  }

  static func content(of bytes: [UInt8]) -> Content {
    bytes.withUnsafeBytes { buffer in
      guard let text = BIO_new_mem_buf(buffer.baseAddress, Int32(clamping: buffer.count)) else {
        return .none
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
      if reason != PEM_R_NO_START_LINE { return .broken(count + 1) }
      return count > 0 ? .certificates(count) : .none
    }
  }
}
