internal import CCurl
internal import Glibc
internal import Base

/// The trusted issuers of TLS certificates: those of this machine, or files of the user's.
public struct TrustedIssuers: Sendable, Equatable {
  /// A file or folder, and where it was named: `--ca`, `AWS_CA_BUNDLE`, `SSL_CERT_FILE`.
  struct Place: Sendable, Equatable {
    var path: String
    var source: String

    var shown: String { "\(path) (\(source))" }
  }

  /// PEM, trusted in addition to all others.
  private(set) var extraFile: Place?
  /// PEM, instead of the machine's own file.
  private(set) var file: Place?
  /// Instead of the machine's own folder; several separated by colons, as for OpenSSL.
  private(set) var folder: Place?

  init() {}

  /// `--ca` is trusted in addition to the issuers of the environment, or else of the machine. The variables are curl's:
  /// CURL_CA_BUNDLE, else SSL_CERT_FILE and SSL_CERT_DIR.
  public init(
    option: String?, from source: String = "--ca", environment: (String) -> String?
  ) {
    extraFile = option.map { Place(path: $0, source: source) }
    if let bundle = environment("CURL_CA_BUNDLE") {
      file = Place(path: bundle, source: "CURL_CA_BUNDLE")
    } else {
      file = environment("SSL_CERT_FILE").map { Place(path: $0, source: "SSL_CERT_FILE") }
      folder = environment("SSL_CERT_DIR").map { Place(path: $0, source: "SSL_CERT_DIR") }
    }
  }

  /// Why these cannot be used.
  public struct Problem: Error, Equatable, Sendable, CustomStringConvertible {
    public let description: String
  }

  /// Throws if the files cannot be used. Keeps what it read: a whole machine's bundle takes 25 ms.
  public mutating func check() throws(Problem) { known = try loaded() }

  /// Defers the check until libcurl reads the files for its first TLS connection, which then reports errors. Only an
  /// extra file is read now, since we join it with the others.
  public mutating func putOff() throws(Problem) {
    known = extraFile == nil ? Loaded(file: file?.path, folder: folder?.path) : try loaded()
  }

  private var known: Loaded?

  /// What libcurl gets.
  struct Loaded: Sendable, Equatable {
    var file: String?
    var folder: String?
    /// The file and the extra one together, if there is an extra one.
    var bytes: [UInt8]?
  }

  func loaded() throws(Problem) -> Loaded {
    if let known { return known }
    var loaded = Loaded(file: file?.path, folder: folder?.path)
    let own = try file.map { (place) throws(Problem) in try Self.certificates(in: place) }
    if let folder, !folder.path.split(separator: ":").contains(where: { Self.isFolder(String($0)) })
    {
      throw Problem(description: "the folder of certificates \(folder.shown) is not there")
    }
    guard let extraFile else { return loaded }
    let extra = try Self.certificates(in: extraFile)
    loaded.bytes = (own ?? Self.machinesOwn()) + [UInt8(ascii: "\n")] + extra
    return loaded
  }

  /// The paths for a message; nil if only this machine's issuers count.
  var shown: String? {
    let places = [extraFile, file, folder].compactMap { $0?.shown }
    return places.isEmpty ? nil : places.joined(separator: ", ")
  }

  // MARK: Reading

  /// Bundles of whole systems have a quarter of a megabyte.
  private static let bytesMax = 16_000_000

  private static func certificates(in place: Place) throws(Problem) -> [UInt8] {
    let what = "the file of certificates \(place.shown)"
    guard let bytes = read(place.path) else {
      throw Problem(description: "\(what) cannot be read: \(SystemError.latest)")
    }
    if let problem = CertificateText.problem(in: bytes) {
      throw Problem(description: "\(what) \(problem)")
    }
    return bytes
  }

  /// libcurl's built-in file; its built-in folder applies by itself.
  private static func machinesOwn() -> [UInt8] {
    guard let path = ccurl_built_in_issuers() else { return [] }
    return read(String(cString: path)) ?? []
  }

  private static func isFolder(_ path: String) -> Bool {
    var facts = stat()
    return stat(path, &facts) == 0 && facts.st_mode & S_IFMT == S_IFDIR
  }

  /// Nil with `errno` set.
  private static func read(_ path: String) -> [UInt8]? {
    let bytes = FileBytes.first(bytesMax + 1, of: path, flags: O_NONBLOCK | O_NOCTTY)
    guard let bytes, bytes.count > bytesMax else { return bytes }
    errno = EFBIG
    return nil
  }
}
