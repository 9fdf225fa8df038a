internal import Base

/// What came instead of an image: only for the message of the refusal.
public enum ForeignKind: String, Sendable, CaseIterable {
  case svg = "SVG"
  case html = "HTML"
  case xml = "XML"
  case json = "JSON"
  case text = "text"
  case avif = "AVIF"
  case heic = "HEIC"
  case jpegXL = "JPEG XL"
  case bmp = "BMP"
  case icon = "ICO"
  case tiff = "TIFF"
  case video = "video"
  case pdf = "PDF"
  case zip = "ZIP"
  case gzip = "gzip"
  case unknown = "unknown data"

  /// How many of the first bytes are examined.
  static let headBytesMax = 64

  init(startingWith head: UnsafeRawBufferPointer) {
    self = Self.binary(head) ?? Self.written(head)
  }

  private static func binary(_ head: UnsafeRawBufferPointer) -> ForeignKind? {
    if head.begins(with: "ftyp", at: 4) { return container(head) }
    if head.begins(with: "BM"), head.count >= 10, head.little32(6) == 0 { return .bmp }
    if head.begins(with: "\u{0}\u{0}\u{1}\u{0}") { return .icon }
    if head.begins(with: "II*\u{0}") || head.begins(with: "MM\u{0}*") { return .tiff }
    if head.begins(with: "%PDF-") { return .pdf }
    if head.begins(with: "PK\u{3}\u{4}") { return .zip }
    if head.begins(with: "JXL ", at: 4) { return .jpegXL }
    guard head.count >= 4 else { return nil }
    switch (head[0], head[1], head[2], head[3]) {
    case (0xFF, 0x0A, _, _): return .jpegXL
    case (0x1F, 0x8B, _, _): return .gzip
    case (0x1A, 0x45, 0xDF, 0xA3): return .video
    default: return nil
    }
  }

  /// The brand of an ISO media file.
  private static func container(_ head: UnsafeRawBufferPointer) -> ForeignKind {
    if head.begins(with: "avif", at: 8) || head.begins(with: "avis", at: 8) { return .avif }
    if head.begins(with: "hei", at: 8) || head.begins(with: "mif1", at: 8) { return .heic }
    return .video
  }

  private static func written(_ head: UnsafeRawBufferPointer) -> ForeignKind {
    var text = head.map { (65...90).contains($0) ? $0 | 32 : $0 }[...]
    if text.starts(with: [0xEF, 0xBB, 0xBF]) { text = text.dropFirst(3) }
    text = text.drop { $0 == 32 || (9...13).contains($0) }
    guard let first = text.first else { return .unknown }
    guard text.allSatisfy({ $0 >= 32 || (9...13).contains($0) }) else { return .unknown }
    switch first {
    case UInt8(ascii: "{"), UInt8(ascii: "["): return .json
    case UInt8(ascii: "<"): return markup(text)
    default: return .text
    }
  }

  private static func markup(_ text: ArraySlice<UInt8>) -> ForeignKind {
    let written = String(decoding: text, as: UTF8.self)
    if written.hasPrefix("<!doctype html") || written.hasPrefix("<html") { return .html }
    if written.holds("<svg") || written.hasPrefix("<!doctype svg") { return .svg }
    if written.hasPrefix("<?xml") || written.hasPrefix("<!doctype") { return .xml }
    return .html
  }
}
