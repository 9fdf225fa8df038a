public import Base

/// Who asks: the same address may answer another account with other lists.
extension RecordStore {
  /// How many accounts have asked for a job in this folder before the one that asks now.
  /// - Parameter account: a digest of the secrets that last, or that there is none.
  public func era(of job: String, askedBy account: String) throws(StoreError) -> Int {
    let (known, number) = try asker(of: job)
    guard known != account else { return number }
    let era = known == nil ? number : number + 1
    try write { connection in
      var fields = FactFields()
      fields["account"] = .text(account)
      fields["era"] = SQLValue(era)
      try connection.note(FactKey(.asker, job: job), fields.fact)
    }
    return era
  }

  /// As the next run will count it, if the same account asks.
  public func era(of job: String) throws(StoreError) -> Int { try asker(of: job).era }

  /// A person says that the next key is of the same account as the one before.
  public func expectSameAsker(of job: String) throws(StoreError) {
    let era = try asker(of: job).era
    try write { connection in
      var fields = FactFields()
      fields["era"] = SQLValue(era)
      try connection.note(FactKey(.asker, job: job), fields.fact)
    }
  }

  private func asker(of job: String) throws(StoreError) -> (account: String?, era: Int) {
    try guarded { connection in
      let fields = FactFields(try connection.fact(FactKey(.asker, job: job)))
      return (fields.text("account"), fields.integer("era") ?? 0)
    }
  }
}
