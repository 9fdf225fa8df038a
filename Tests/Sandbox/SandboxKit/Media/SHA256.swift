internal import Base
internal import CCrypto

/// The digest that identifies an image in the truth.
enum SHA256 {
  static func hex(_ bytes: [UInt8]) -> String {
    var digest = [UInt8](repeating: 0, count: 32)
    var count: UInt32 = 0
    let result = EVP_Digest(bytes, bytes.count, &digest, &count, EVP_sha256(), nil)
    precondition(result == 1 && count == 32, "libcrypto has always had SHA-256")
    return Hexadecimal.text(digest)
  }
}
