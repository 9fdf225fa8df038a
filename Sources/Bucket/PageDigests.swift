internal import Glibc
internal import Base
internal import Transport

/// Digests of the pages of a SQLite file, eight bytes each. A free page counts as empty, whatever its bytes are: it is
/// neither put nor compared.
struct PageDigests: Equatable {
  static let free: UInt64 = 0

  var pageBytes: Int
  var pages: [UInt64]
}

extension PageDigests {
  /// Reads the file once, and its list of free pages.
  init(of file: any PageSource) throws(BucketError) {
    let header = try file.read(100, at: 0)
    guard header.count == 100 else { throw .damaged("\(file.path) is not a database") }
    let told = Int(header[16]) << 8 | Int(header[17])
    let pageBytes = told == 1 ? 65_536 : told
    let size = file.size
    guard (512...65_536).contains(pageBytes), size % pageBytes == 0 else {
      throw .damaged("\(file.path) is not a database")
    }
    let count = size / pageBytes
    var pages: [UInt64] = []
    pages.reserveCapacity(count)
    let atOnce = max(1, 1_048_576 / pageBytes)
    while pages.count < count {
      let bytes = try file.read(atOnce * pageBytes, at: pages.count * pageBytes)
      guard !bytes.isEmpty else { throw .damaged("\(file.path) was cut") }
      for start in stride(from: 0, to: bytes.count, by: pageBytes) {
        pages.append(
          Self.digest(of: bytes[start..<(start + pageBytes)], isFirst: pages.isEmpty))
      }
    }
    for page in try Self.freePages(of: file, header, pageBytes, count) { pages[page] = Self.free }
    self.init(pageBytes: pageBytes, pages: pages)
  }

  /// Counters and the library's version, which differ in a copy.
  private static let leftOut = [24..<28, 40..<44, 92..<100]

  /// Never the digest of a free page.
  static func digest(of page: ArraySlice<UInt8>, isFirst: Bool) -> UInt64 {
    var page = page
    if isFirst {
      for index in leftOut.joined() { page[page.startIndex + index] = 0 }
    }
    let digest = page.withUnsafeBytes { SHA256.of($0) }
    return max(1, digest.prefix(8).reduce(0) { $0 << 8 | UInt64($1) })
  }

  /// The leaves of the free list (SQLite's file format, 1.5); the trunks are needed.
  private static func freePages(
    of file: any PageSource, _ header: [UInt8], _ pageBytes: Int, _ count: Int
  ) throws(BucketError) -> [Int] {
    var free: [Int] = []
    let word = PieceBytes.word
    var (trunk, left) = (word(header, 32), word(header, 36))
    while trunk > 0, trunk <= count, left > 0 {
      let page = try file.read(pageBytes, at: (trunk - 1) * pageBytes)
      let leaves = min(word(page, 4), pageBytes / 4 - 2)
      for index in 0..<leaves {
        let leaf = word(page, 8 + 4 * index)
        if leaf > 1, leaf <= count { free.append(leaf - 1) }
      }
      left -= leaves + 1
      trunk = word(page, 0)
    }
    return free
  }

  var digest: String {
    pages.map(\.bigEndian).withUnsafeBytes { Hexadecimal.text(SHA256.of($0)) }
  }

  /// The numbers of the pages, from 0, that have changed and are not free.
  func changed(since old: PageDigests?) -> [Int] {
    guard let old, old.pageBytes == pageBytes else {
      return pages.indices.filter { pages[$0] != Self.free }
    }
    return pages.indices.filter { index in
      pages[index] != Self.free
        && (index >= old.pages.count || old.pages[index] != pages[index])
    }
  }
}

/// Kept beside a file of the cache: the digests of what was put or restored last, and of the base. They are valid only
/// if they match the digest that the head names.
struct PageNotes: Equatable {
  var now: PageDigests
  var base: PageDigests
}

extension PageNotes {
  private static let mark = Array("TRAWLN1\n".utf8)

  /// Nil: there are none, or none that can be used.
  init?(_ path: String) {
    guard let bytes = FileBytes.first(.max, of: path), bytes.starts(with: Self.mark),
      (bytes.count - Self.mark.count) % 8 == 0
    else { return nil }
    let words = stride(from: Self.mark.count, to: bytes.count, by: 8).map { start in
      bytes[start..<(start + 8)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    }
    guard words.count >= 2, let count = Int(exactly: words[1]), count <= words.count - 2,
      let pageBytes = Int(exactly: words[0])
    else { return nil }
    self.init(
      now: PageDigests(pageBytes: pageBytes, pages: Array(words[2..<(2 + count)])),
      base: PageDigests(pageBytes: pageBytes, pages: Array(words[(2 + count)...])))
  }

  func write(to path: String) throws(BucketError) {
    let words = [UInt64(now.pageBytes), UInt64(now.pages.count)] + now.pages + base.pages
    let bytes = words.map(\.bigEndian).withUnsafeBytes { Array($0) }
    try CacheFile.write(Self.mark + bytes, to: path)
  }
}
