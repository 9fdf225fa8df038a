@testable import SandboxKit

/// Walks through an image file as its standard lays it out, to its very end.
struct ImageShape: Equatable {
  var type: String
  var width: Int
  var height: Int

  /// Nil for what is no whole image of a kind that is known.
  init?(_ file: [UInt8]) {
    if let found = Self.png(file) ?? Self.gif(file) ?? Self.jpeg(file) {
      self = found
    } else {
      return nil
    }
  }

  private init(_ type: String, _ width: Int, _ height: Int) {
    (self.type, self.width, self.height) = (type, width, height)
  }

  private static func number(_ bytes: some Sequence<UInt8>) -> Int {
    bytes.reduce(0) { $0 << 8 | Int($1) }
  }

  private static func png(_ file: [UInt8]) -> ImageShape? {
    guard file.starts(with: [0x89, 0x50, 0x4E, 0x47, 13, 10, 26, 10]) else { return nil }
    var index = 8
    var shape: ImageShape?
    var names: [String] = []
    while index + 12 <= file.count {
      let length = number(file[index..<(index + 4)])
      guard index + 12 + length <= file.count else { return nil }
      let checked = Array(file[(index + 4)..<(index + 8 + length)])
      let sum = number(file[(index + 8 + length)..<(index + 12 + length)])
      guard CRC32.of(checked) == UInt32(sum) else { return nil }
      let name = String(decoding: checked[..<4], as: UTF8.self)
      names.append(name)
      if name == "IHDR" {
        shape = ImageShape("image/png", number(checked[4..<8]), number(checked[8..<12]))
      }
      index += 12 + length
    }
    let isWhole = index == file.count && names.first == "IHDR" && names.last == "IEND"
    return isWhole && names.contains("IDAT") && names.contains("PLTE") ? shape : nil
  }

  private static func gif(_ file: [UInt8]) -> ImageShape? {
    guard file.count > 13, file.starts(with: "GIF89a".utf8) else { return nil }
    let shape = ImageShape(
      "image/gif", number([file[7], file[6]]), number([file[9], file[8]]))
    var index = 13 + (file[10] & 0x80 == 0 ? 0 : 3 << (Int(file[10] & 7) + 1))
    while index < file.count {
      switch file[index] {
      case 0x3B: return index == file.count - 1 ? shape : nil
      case 0x21: index += 2
      case 0x2C: index += 11
      default: return nil
      }
      while index < file.count, file[index] != 0 { index += 1 + Int(file[index]) }
      index += 1
    }
    return nil
  }

  private static func jpeg(_ file: [UInt8]) -> ImageShape? {
    guard file.starts(with: [0xFF, 0xD8]), file.suffix(2) == [0xFF, 0xD9] else { return nil }
    var index = 2
    var shape: ImageShape?
    while index + 4 < file.count, file[index] == 0xFF {
      let length = number(file[(index + 2)..<(index + 4)])
      if file[index + 1] == 0xC0 {
        let fields = file[(index + 5)..<(index + 9)]
        shape = ImageShape("image/jpeg", number(fields.suffix(2)), number(fields.prefix(2)))
      }
      if file[index + 1] == 0xDA {
        // In the scan a marker may only be the end.
        let scan = file[(index + 2 + length)..<(file.count - 2)]
        let marked = zip(scan, scan.dropFirst()).contains { $0 == 0xFF && $1 != 0 }
        return marked ? nil : shape
      }
      index += 2 + length
    }
    return nil
  }
}
