internal import Glibc

/// The data folder: `--data`, else `$TRAWL_DATA`, else `$STATE_DIRECTORY`, else `$XDG_DATA_HOME/trawl`.
struct DataLocation: Sendable, Equatable {
  /// The folder of the systemd unit; reading commands fall back on it.
  static let ofTheSystem = "/var/lib/trawl"

  var folder: String
  var ledger: String
  /// Printed if a reading command does not use the user's own folder.
  var remark: String?

  static func own(
    data: String?, ledger: String?, _ environment: Environment
  ) throws(ExitReport) -> DataLocation {
    let places = [
      data, environment("TRAWL_DATA"),
      // systemd separates several by colons; our unit declares one.
      environment("STATE_DIRECTORY").map { String($0.split(separator: ":").first ?? "") },
      environment("XDG_DATA_HOME").map { "\($0)/trawl" },
      environment("HOME").map { "\($0)/.local/share/trawl" },
    ]
    guard let folder = places.compactMap(\.self).first else {
      throw ExitReport(
        .configuration, "there is no HOME to keep data in: say where with --data DIR")
    }
    let file = ledger ?? environment("TRAWL_LEDGER") ?? "\(folder)/ledger.db"
    return DataLocation(folder: folder, ledger: file)
  }

  /// Refuses names that are meant for a bucket: `S3://`, `s3:/`, `gs://`.
  static func refuseScheme(_ data: String?) throws(ExitReport) {
    guard let data, !data.hasPrefix(BucketPlace.scheme),
      let colon = data.utf8.firstIndex(of: UInt8(ascii: ":")),
      data.utf8[colon...].starts(with: ":/".utf8),
      data[..<colon].contains(where: \.isLetter),
      data[..<colon].utf8.allSatisfy({ $0 != UInt8(ascii: "/") })
    else { return }
    throw ExitReport(
      .usage, "an address is not a folder: one in a bucket is written s3://BUCKET/PATH",
      "one of this machine with \":/\" in its name begins with ./")
  }

  /// For reading commands: the system's database if the user has none.
  /// - Parameter isAny: even if this user cannot read it, to say so.
  static func forReading(
    data: String?, ledger: String?, _ environment: Environment, system: String = ofTheSystem,
    isAny: Bool = false
  ) throws(ExitReport) -> DataLocation {
    var location = try own(data: data, ledger: ledger, environment)
    let isChosen = data != nil || environment("TRAWL_DATA") != nil
    if !isChosen, access("\(location.folder)/trawl.db", F_OK) != 0, errno == ENOENT,
      access("\(system)/trawl.db", R_OK) == 0 || isAny && errno == EACCES
    {
      location = DataLocation(
        folder: system, ledger: "\(system)/ledger.db",
        remark: "this is the system's database, \(system)/trawl.db")
    }
    return location
  }

  /// Why an existing database cannot be read; nil: it can, or there is none.
  static func refusal(of folder: String) -> ExitReport? {
    let database = "\(folder)/trawl.db"
    if access(database, R_OK) == 0 || errno != EACCES { return nil }
    let isSeen = access(database, F_OK) == 0
    var facts = stat()
    let isKnown = stat(isSeen ? database : folder, &facts) == 0
    let isForGroup = facts.st_gid != 0 && facts.st_mode & (isSeen ? 0o040 : 0o010) != 0
    let readers = [
      folder == ofTheSystem ? "sudo trawl --system COMMAND" : nil,
      isKnown ? "its owner, user \(facts.st_uid)" : nil,
      isKnown && isForGroup
        ? "members of its group (sudo usermod -aG \(facts.st_gid) \"$USER\", then log in again)"
        : nil,
    ].compactMap(\.self)
    return ExitReport(
      .cannotWrite,
      lines: [
        isSeen
          ? "\(database) is there, but you may not read it"
          : "\(folder) is there, but you may not look into it"
      ] + (readers.isEmpty ? [] : ["it may be read by \(readers.joined(separator: ", or "))"])
        + ["for another database: --data DIR"])
  }
}
