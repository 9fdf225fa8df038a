internal import Base

/// The account that requests: the same address may give another account other lists. Accounts are
/// distinguished by a digest of their long-lived secrets, and numbered as they came.
extension RecordStore {
  /// The account that a job requests with now.
  /// - Parameter account: nil: there is no key. What is shown without a key is also shown with the
  ///   next one.
  /// - Returns: its number, and whether it is new beside others.
  public func era(
    of job: String, askedBy account: String?
  ) throws(StoreError) -> (number: Int, isNew: Bool) {
    guard let account else { return (try era(of: job), false) }
    return try write {
      let own = FactKey(.asker, job: job, Asker.account + account)
      let before = try connection.fact(FactKey(.asker, job: job, Asker.last))?.integer
      let known = try connection.fact(own)?.integer
      let same = try connection.fact(FactKey(.asker, job: job, Asker.same))?.integer
      let accounts = try connection.facts(FactKey(.asker, job: job))
        .filter { $0.subject.hasPrefix(Asker.account) }.compactMap(\.fact.integer)
      let number = try known ?? same ?? accounts.max()?.nextStored() ?? 0
      if known == nil {
        try connection.note(own, .integer(number))
        try connection.forget(FactKey(.asker, job: job, Asker.same))
      }
      if before != number {
        try connection.note(FactKey(.asker, job: job, Asker.last), .integer(number))
      }
      return (Int(number), known == nil && same == nil && !accounts.isEmpty)
    }
  }

  /// The number of the account that requested last.
  public func era(of job: String) throws(StoreError) -> Int {
    try guarded { Int(try connection.fact(FactKey(.asker, job: job, Asker.last))?.integer ?? 0) }
  }

  /// If the lists of another account hold nine tenths of what was there, it is the account of
  /// before with a new key: records missing from them may leave as usual.
  public func joinAskers(of job: String) throws(StoreError) {
    let older =
      "kind = 'absent' AND subject = 'older' AND list_number IN (SELECT list_number FROM trawl_facts "
      + "WHERE kind = 'absent' AND subject = '\(KeptShare.subject)' AND job = ?1)"
    let isSame = try guarded {
      guard try connection.has("trawl_facts WHERE \(older)", [.text(job)]) else { return false }
      let shares = try connection.texts(
        "SELECT fact FROM trawl_facts WHERE kind = 'absent' AND subject = ? AND job = ?",
        [.text(KeptShare.subject), .text(job)])
      return shares.compactMap { JSONValue(text: $0).flatMap(KeptShare.init) }
        .reduce(KeptShare(), +).isSame
    }
    guard isSame else { return }
    try write { try connection.delete(Book.facts, where: older, [.text(job)]) }
  }

  /// The user says that the next key belongs to the account that requested last.
  public func expectSameAsker(of job: String) throws(StoreError) {
    try write {
      guard let last = try connection.fact(FactKey(.asker, job: job, Asker.last)) else { return }
      try connection.note(FactKey(.asker, job: job, Asker.same), last)
    }
  }
}

/// The subject of a fact about an account.
private enum Asker {
  static let account = "account "
  static let last = "last"
  static let same = "same"
}
