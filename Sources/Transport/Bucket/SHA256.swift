internal import CCrypto

/// SHA-256 of bytes in memory, and HMAC with it.
public enum SHA256 {
  public static func of(_ bytes: [UInt8]) -> [UInt8] { bytes.withUnsafeBytes { of($0) } }

  public static func of(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: 32)
    let code = EVP_Digest(bytes.baseAddress, bytes.count, &digest, nil, EVP_sha256(), nil)
    precondition(code == 1, "libcrypto has SHA-256")
    return digest
  }

  static func signed(_ text: String, with key: [UInt8]) -> [UInt8] {
    let text = Array(text.utf8)
    var digest = [UInt8](repeating: 0, count: 32)
    let code = HMAC(EVP_sha256(), key, Int32(key.count), text, text.count, &digest, nil)
    precondition(code != nil, "libcrypto has HMAC")
    return digest
  }
}
