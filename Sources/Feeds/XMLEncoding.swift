internal import CExpat
internal import Glibc

/// Encodings of one byte a letter beside those that expat knows itself (UTF-8, UTF-16, ISO-8859-1), as the
/// system's own library has them.
enum XMLEncoding {
  static func fill(_ info: UnsafeMutablePointer<XML_Encoding>?, _ name: String) -> Int32 {
    let isPlain = name.utf8.allSatisfy { byte in
      (48...57).contains(byte) || (97...122).contains(byte | 32) || "-_.".utf8.contains(byte)
    }
    guard let info, isPlain, !name.isEmpty, name.utf8.count <= 40 else { return 0 }
    guard let converter = iconv_open("UTF-32LE", name), converter != iconv_t(bitPattern: -1) else {
      return 0
    }
    defer { iconv_close(converter) }
    info.pointee.data = nil
    info.pointee.convert = nil
    info.pointee.release = nil
    let isWhole = withUnsafeMutablePointer(to: &info.pointee.map) { map in
      map.withMemoryRebound(to: Int32.self, capacity: 256) { map in
        (0..<256).allSatisfy { byte in
          guard let letter = letter(UInt8(byte), converter) else { return false }
          map[byte] = letter
          return true
        }
      }
    }
    return isWhole ? 1 : 0
  }

  /// The letter of a byte, -1 where it has none; nil where one byte is no letter at all: such an encoding is
  /// not read.
  private static func letter(_ byte: UInt8, _ converter: iconv_t) -> Int32? {
    var from = CChar(bitPattern: byte)
    var to: UInt32 = 0
    let outcome = withUnsafeMutablePointer(to: &from) { from in
      withUnsafeMutablePointer(to: &to) { to in
        to.withMemoryRebound(to: CChar.self, capacity: 4) { to in
          var (input, output): (UnsafeMutablePointer<CChar>?, UnsafeMutablePointer<CChar>?) = (
            from, to
          )
          var (left, room) = (1, 4)
          iconv(converter, nil, nil, nil, nil)
          return iconv(converter, &input, &left, &output, &room) == -1
            ? errno : (room == 0 ? 0 : EINVAL)
        }
      }
    }
    switch outcome {
    case 0: return Int32(bitPattern: UInt32(littleEndian: to))
    case EILSEQ: return byte < 0x80 ? nil : -1
    default: return nil
    }
  }
}
