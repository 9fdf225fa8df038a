internal import Base
internal import Walk

/// What the stored answers of a walk give, compared with what its certificate claims.
struct Derivation {
  let claim: CertificateProof.Claim
  let evidence: WalkEvidence
  /// Of all keys of the pages.
  let digest: UInt64
  /// Other stored certificates of the list, by their numbers.
  let others: [Int: CertificateProof.Claim]
  let signs: StoredSigns

  private var claimed: Certificate { claim.stored.certificate }
  private var hasStopped: Bool { claim.verdict == "paused" }

  /// Why it counts as recorded; nil: it was derived again.
  var asRecorded: String? {
    if claim.rules?.isBatch == true, claim.handed?.count ?? 0 > 2 {
      return "of values that answers left out only the number is kept"
    }
    if claim.isCurrent { return nil }
    if !evidence.isEmpty {
      let isFolded = claim.restsOn.map { others[$0]?.hasPages != true } ?? false
      return isFolded ? "the walk that it rests on is folded" : nil
    }
    return "a later walk has replaced it, and its pages are folded"
  }

  var problems: [String] {
    var problems: [String] = []
    if claim.received != claimed.counts.received { problems.append("its counts do not add up") }
    if Verdict(rawValue: claim.verdict) == nil || StopRule(rawValue: claim.rule) == nil {
      problems.append("\(claim.verdict) (\(claim.rule)) is not a verdict")
    }
    if claim.proof != claimed.proof?.rawValue {
      problems.append("of the proofs that it names the first is another one")
    }
    guard let rules = claim.rules else {
      return problems + ["the rules of its walk are not there"]
    }
    if evidence.isEmpty { return problems + withoutEvidence(rules) }
    if evidence.keys.count != claim.stored.keysCount || digest != claim.keysDigest {
      problems.append(
        "its pages hold \(evidence.keys.count) distinct keys, and they are not the "
          + "\(claim.stored.keysCount) that it names")
    }
    guard let derived = derived(rules, &problems) else { return problems }
    return problems + differences(derived) + inputs
  }

  /// Pages exist for a current claim, unless nothing was requested for it.
  private func withoutEvidence(_ rules: WalkRules) -> [String] {
    guard claim.isCurrent else { return [] }
    let isGap = [StopRule.outOfReach, .beyondReach].contains { rule in
      claim.rule == rule.rawValue && claimed == .outOfReach(claimed.why, by: rule)
    }
    // A reset of a paused walk deletes its pages; and what could not be requested has none.
    if ["paused", "failed"].contains(claim.verdict) || isGap { return [] }
    if rules.isBatch, claimed.pages == 0 {
      var problems: [String] = []
      return derived(rules, &problems).map { problems + differences($0) } ?? problems
    }
    return ["the \(Wording.count(claimed.pages, "page")) it is based on are missing"]
  }

  /// The certificate that the evidence gives; nil: none.
  private func derived(_ rules: WalkRules, _ problems: inout [String]) -> Certificate? {
    if rules.isBatch {
      var answers = evidence.answers
      if let text = claim.handed {
        guard let missed = BatchAnswers.Missed(text) else {
          problems.append("what its answers left out cannot be read")
          return nil
        }
        answers.missed = missed
      }
      if hasStopped { return answers.certificate(.paused, claimed.rule, "") }
      return answers.certificate().withholding(claim.stored.withheld)
    }
    if let problem = evidence.replay.problem {
      problems.append(problem)
      return nil
    }
    if evidence.replay.handed?.rules != claim.rulesDigest {
      problems.append("it names other rules than its walk went by")
    }
    if evidence.replay.isOpen != hasStopped {
      problems.append(
        hasStopped
          ? "its walk came to its end, and it says that it stopped before"
          : "its walk did not come to its end: more was to be requested")
      return nil
    }
    return evidence.replay.certificate(claimed: claimed.rule)?
      .withholding(claim.stored.withheld)
  }

  private func differences(_ derived: Certificate) -> [String] {
    var problems: [String] = []
    func compare<Value: Equatable>(
      _ what: String, _ one: Value, _ other: Value, _ told: (Value) -> String
    ) {
      guard one != other else { return }
      problems.append("its pages give \(what) \(told(one)), and it names \(told(other))")
    }
    func number(_ value: Int?) -> String { value.map { "\($0)" } ?? "none" }
    compare("the verdict", derived.claim, claimed.claim) { $0 }
    if hasStopped == false { compare("the rule", derived.rule, claimed.rule) { $0.rawValue } }
    compare("the proofs", derived.proofs, claimed.proofs) {
      $0.isEmpty ? "none" : $0.map(\.rawValue).joined(separator: ", ")
    }
    compare("pages:", derived.pages, claimed.pages) { number($0) }
    compare("different records:", derived.distinctKeys, claimed.distinctKeys) { number($0) }
    compare("records:", derived.counts, claimed.counts) {
      "\($0.new) new, \($0.changed) changed, \($0.unchanged) unchanged, \($0.repeated) repeated, "
        + "\($0.dropped) dropped, \($0.rejected) rejected"
    }
    compare("the first total", derived.firstTotal, claimed.firstTotal) { number($0) }
    compare("the last total", derived.lastTotal, claimed.lastTotal) { number($0) }
    compare("a total that is", derived.trust, claimed.trust) { $0?.rawValue ?? "none" }
    compare("that the list moved:", derived.hasMoved, claimed.hasMoved) { "\($0)" }
    compare("that it is as declared:", derived.isAsDeclared, claimed.isAsDeclared) { "\($0)" }
    compare("the pattern", derived.pattern, claimed.pattern) { $0.map { "\($0)" } ?? "none" }
    return problems
  }

  // MARK: what the walk was handed

  /// Each input that the walk was handed must agree with the fact that it names, as far as that is
  /// kept.
  private var inputs: [String] {
    guard claim.rules?.isBatch == false, let handed = evidence.replay.handed else { return [] }
    var problems: [String] = []
    let (memory, shown) = (handed.memory, signs.of(claim))
    let whole = handed.whole.flatMap { others[$0] }
    let restsOn: Int? = [.twice, .joined].contains(claimed.proof) ? handed.whole ?? 0 : nil
    if restsOn != claim.restsOn { problems.append("it names another walk that it rests on") }
    if restsOn != nil, whole == nil ? claim.isCurrent : whole?.window != claim.window {
      problems.append("the walk that it rests on is not there")
    }
    if let whole { problems += Self.differences(handed, whole) }
    if claimed.proof == .twice, let whole, claim.isCurrent, !whole.hasPages {
      problems.append("the pages of the walk that it rests on are not there")
    }
    if memory.hasSeenMore != nil, memory.hasSeenMore != shown.saysMore {
      // Once it is known to work, it stays so.
      if memory.hasSeenMore == true || shown.saysMore == nil {
        problems.append("nothing records that its sign of more pages works")
      }
    }
    if memory.sizesHold == true, shown.sizesHold != true {
      problems.append("nothing records that pages come in the size that was requested")
    }
    if memory.isFirstKnown, claim.rules?.mayHavePageBefore == true, !shown.isFirstKnown {
      problems.append("nothing records that no page precedes its first one")
    }
    // A list that returned records was not believed to be empty.
    if memory.isEmptyForLong, Emptiness.isFound(claimed, withheld: claim.stored.withheld),
      claim.stored.tries < Emptiness.walksMin
    {
      problems.append(
        "it was found empty \(Wording.count(claim.stored.tries, "time")), and believed")
    }
    if let until = claim.left?.listedUntil,
      let to = Instant(stored: claim.coversTo ?? claim.to), to > until
    {
      problems.append("it covers times up to \(to), and its first answer was made at \(until)")
    }
    return problems
  }

  private static func differences(
    _ handed: Handed, _ whole: CertificateProof.Claim
  ) -> [String] {
    var problems: [String] = []
    let certificate = whole.stored.certificate
    if handed.memory.pattern != nil, handed.memory.pattern != certificate.pattern {
      problems.append("the walk before read something else than it says")
    }
    if handed.range != nil || !handed.memory.isRangeProven,
      handed.memory.isRangeProven != (certificate.verdict == .complete)
    {
      problems.append("whether the stretch behind it is proven is another thing than it says")
    }
    if let range = handed.range, range.to > whole.stored.newest ?? range.from {
      problems.append("the stretch at which it may stop is newer than what was read of it")
    }
    if certificate.distinctKeys > 0, handed.memory.rowsBefore < certificate.distinctKeys,
      !handed.memory.isAccepted
    {
      problems.append("its list held \(certificate.distinctKeys) records, and it says fewer")
    }
    return problems
  }
}

/// What answers have shown about their signs, for all lists of a stream.
struct StoredSigns {
  struct Shown {
    var saysMore, sizesHold: Bool?
    var isFirstKnown = false
  }

  private let shown: [[String]: Shown]

  /// The condition that an answer of the named walk shows it, unless its pages are folded.
  private static let isShown = """
    NOT EXISTS (SELECT 1 FROM trawl_pages p WHERE p.window = s.window AND p.traversal = s.traversal)
      OR EXISTS (SELECT 1 FROM trawl_pages p WHERE p.window = s.window AND p.traversal = s.traversal
        AND trouble IS NULL AND (ordinal > 1 AND length(keys) > 0
          OR ifnull(more, next_cursor IS NOT NULL)))
    """

  init(_ connection: Connection) throws(SQLiteError) {
    shown = try connection.dictionary(
      """
      SELECT job, stream, max(iif(\(Self.isShown), says_more, 0)), max(sizes_hold), max(first_known) FROM (
        SELECT job, stream, fact ->> 'says_more' AS says_more, fact ->> 'sizes_hold' AS sizes_hold,
          fact ->> 'first_known' AS first_known, fact ->> 'window' AS window, fact ->> 'traversal' AS traversal
        FROM trawl_facts WHERE kind = 'signs') s
      GROUP BY job, stream
      """
    ) { row in
      (
        [row.text(0) ?? "", row.text(1) ?? ""],
        Shown(
          saysMore: row.isNull(2) ? nil : row.boolean(2),
          sizesHold: row.isNull(3) ? nil : row.boolean(3), isFirstKnown: row.boolean(4))
      )
    }
  }

  func of(_ claim: CertificateProof.Claim) -> Shown {
    shown[[claim.job, claim.stream]] ?? Shown()
  }
}
