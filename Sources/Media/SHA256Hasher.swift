internal import CCrypto

/// Hashes bytes as they arrive. Owns libcrypto's context; one thread at a time.
public struct SHA256Hasher: ~Copyable {
  private let context: OpaquePointer
  private var hasFailed = false

  public init() {
    guard let context = EVP_MD_CTX_new() else {
      preconditionFailure("libcrypto has no memory for a SHA-256 context")
    }
    self.context = context
    hasFailed = EVP_DigestInit_ex(context, EVP_sha256(), nil) != 1
  }

  deinit { EVP_MD_CTX_free(context) }

  public mutating func add(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count > 0 else { return }
    if EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) != 1 { hasFailed = true }
  }

  /// The digest of everything that was added; called once. Nil if libcrypto refused, as on a
  /// machine that does not allow SHA-256: then nothing can be named.
  public mutating func finish() -> SHA256Digest? {
    var length: UInt32 = 0
    return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 64) { out in
      guard !hasFailed, EVP_DigestFinal_ex(context, out.baseAddress, &length) == 1 else {
        return SHA256Digest?.none
      }
      hasFailed = true
      return SHA256Digest(bytes: out.prefix(Int(length)))
    }
  }
}

extension SHA256Digest {
  /// The digest of bytes in memory.
  static func of(_ bytes: [UInt8]) -> SHA256Digest? {
    var hasher = SHA256Hasher()
    bytes.withUnsafeBytes { hasher.add($0) }
    return hasher.finish()
  }
}
