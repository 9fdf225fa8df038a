import Glibc
import Base
import TestSupport
import Testing

@Suite("How a file lies")
struct FilePlaceTests {
  private let scratch = ScratchFolder()

  private func write(_ text: String, to name: String) -> String {
    let path = "\(scratch.path)/\(name)"
    let file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    defer { close(file) }
    #expect(file >= 0 && Glibc.write(file, text, text.utf8.count) == text.utf8.count)
    return path
  }

  @Test("is the same by path, by another name and by descriptor, and nothing where nothing lies")
  func same() throws {
    let path = write("abc", to: "a")
    let place = try #require(FilePlace(path: path))
    #expect(place.size == 3 && place.written > 0 && place.changed > 0)
    #expect(symlink(path, "\(scratch.path)/b") == 0)
    #expect(FilePlace(path: "\(scratch.path)/b") == place)
    let file = open(path, O_RDONLY | O_CLOEXEC)
    defer { close(file) }
    #expect(FilePlace(descriptor: file) == place)
    #expect(FileIdentity(path: path) == place.identity)
    #expect(FilePlace(path: "\(scratch.path)/c") == nil && FilePlace(descriptor: -1) == nil)
  }

  @Test("is another once it was written, replaced or given another time")
  func other() throws {
    let path = write("abc", to: "a")
    var places = [try #require(FilePlace(path: path))]
    // Years ago, so that no later change has the same time.
    for seconds in [1_000_000_000, 1_100_000_000] {
      var times = Array(repeating: timespec(tv_sec: seconds, tv_nsec: 5), count: 2)
      #expect(utimensat(AT_FDCWD, path, &times, 0) == 0)
      let place = try #require(FilePlace(path: path))
      #expect(place.written == Int64(seconds) * 1_000_000_000 + 5)
      #expect(!places.contains(place))
      places.append(place)
    }
    _ = write("d", to: "a")
    #expect(try !places.contains(#require(FilePlace(path: path))))
    places.append(try #require(FilePlace(path: path)))
    // Written while the first one still exists, so its inode differs.
    let second = write("abcd", to: "b")
    #expect(rename(second, path) == 0)
    let replaced = try #require(FilePlace(path: path))
    #expect(places.allSatisfy { $0 != replaced && $0.identity != replaced.identity })
  }

  @Test("in a folder that is removed goes with it, and nothing behind a link, even one that stays")
  func removed() {
    let (own, other) = ("\(scratch.path)/own", "\(scratch.path)/other")
    #expect(mkdir(other, 0o700) == 0 && mkdir(own, 0o700) == 0 && mkdir("\(own)/a", 0o700) == 0)
    _ = (write("x", to: "other/kept"), write("y", to: "own/a/b"))
    #expect(symlink(other, "\(own)/link") == 0 && chmod(own, 0o500) == 0)
    FolderNames.removeAll(own)
    #expect(FolderNames.all(of: other) == ["kept"])
    // Root may remove it all at once.
    _ = chmod(own, 0o700)
    FolderNames.removeAll(own)
    #expect(!FolderNames.all(of: scratch.path).contains("own"))
  }
}
