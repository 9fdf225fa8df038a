/// The formats that are kept. A file's format is taken from its bytes, never from a name or a
/// header.
public enum ImageKind: String, Sendable, CaseIterable {
  case jpeg, png, gif, webp

  /// Enough bytes to recognize each of them.
  static let signatureBytes = 12

  /// The extension of the stored file's name.
  var fileExtension: String {
    switch self {
    case .jpeg: "jpg"
    case .png: "png"
    case .gif: "gif"
    case .webp: "webp"
    }
  }

  public var mediaType: String { "image/\(rawValue)" }

  public init?(fileExtension: some StringProtocol) {
    let ending = Array(fileExtension.utf8)
    guard let kind = Self.allCases.first(where: { ending.elementsEqual($0.fileExtension.utf8) })
    else { return nil }
    self = kind
  }

  /// The format whose signature the bytes begin with.
  init?(startingWith head: UnsafeRawBufferPointer) {
    if head.begins(with: [0xFF, 0xD8, 0xFF]) {
      self = .jpeg
    } else if head.begins(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
      self = .png
    } else if head.begins(with: "GIF87a") || head.begins(with: "GIF89a") {
      self = .gif
    } else if head.begins(with: "RIFF"), head.begins(with: "WEBP", at: 8) {
      self = .webp
    } else {
      return nil
    }
  }
}

extension UnsafeRawBufferPointer {
  func begins(with text: StaticString, at offset: Int = 0) -> Bool {
    text.withUTF8Buffer { begins(with: UnsafeRawBufferPointer($0), at: offset) }
  }

  func begins<let length: Int>(with bytes: InlineArray<length, UInt8>) -> Bool {
    count >= length && bytes.indices.allSatisfy { self[$0] == bytes[$0] }
  }

  private func begins(with other: UnsafeRawBufferPointer, at offset: Int) -> Bool {
    count >= offset + other.count && other.indices.allSatisfy { self[offset + $0] == other[$0] }
  }

  /// A big-endian number; the caller has checked that its bytes exist.
  func big16(_ at: Int) -> Int { Int(self[at]) << 8 | Int(self[at + 1]) }
  func big32(_ at: Int) -> Int { big16(at) << 16 | big16(at + 2) }

  func little16(_ at: Int) -> Int { Int(self[at]) | Int(self[at + 1]) << 8 }
  func little24(_ at: Int) -> Int { little16(at) | Int(self[at + 2]) << 16 }
  func little32(_ at: Int) -> Int { little16(at) | little16(at + 2) << 16 }
}
