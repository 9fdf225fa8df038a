internal import Glibc
internal import Testing

/// Damage to a file that no checksum of the file system notices.
enum FlippedByte {
  /// Flips the lowest bit of one byte of the only place that holds the text.
  static func flip(of text: String, at offset: Int, in path: String) throws {
    let bytes = try Fixture.bytes(of: path)
    let file = open(path, O_WRONLY | O_CLOEXEC)
    defer { close(file) }
    let wanted = Array(text.utf8)
    let places = bytes.indices.dropLast(wanted.count).filter { start in
      bytes[start..<start + wanted.count].elementsEqual(wanted)
    }
    let place = try #require(places.count == 1 ? places.first : nil, "found \(places.count) times")
    var byte = bytes[place + offset] ^ 1
    #expect(pwrite(file, &byte, 1, off_t(place + offset)) == 1)
  }
}
