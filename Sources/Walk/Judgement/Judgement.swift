public import Base

/// The verdict on a walk that ended: the only place where a list is certified, at its end or when the verdict is
/// derived again. Pure: the same evidence gives the same certificate.
struct Judgement {
  let walk: Walker
  let ending: WalkEnd
  private(set) var verdict = Verdict.unproven
  private(set) var cause: Shortfall?
  /// All proofs that hold, the strongest first.
  private(set) var proofs: [ProofKind] = []

  init(_ walk: Walker, _ ending: WalkEnd) {
    self.walk = walk
    self.ending = ending
    (verdict, cause) = weigh()
    guard verdict == .complete else { return }
    proofs = provenBy()
    if proofs.isEmpty { verdict = .unproven }
  }

  var state: WalkState { walk.state }
  var rules: WalkRules { walk.rules }
  var memory: WalkMemory { walk.memory }
  /// The walk ends where an earlier one covers the rest.
  var isJoined: Bool { ending.rule == .lastCompleteRange }

  var certificate: Certificate {
    var certificate = Self.certificate(of: walk, verdict, ending.rule, why)
    certificate.cause = cause
    certificate.isAsDeclared =
      verdict.isWhole || cause == .ceiling && rules.capExpected != nil
    certificate.proofs = proofs
    certificate.pattern = verdict.isWhole ? state.pattern : nil
    // With a constant total, only two changes in one gap could go unnoticed.
    certificate.showsWhoLeft = proofs.contains {
      $0.holdsInEachGap || $0 == .ends && state.hasSameTotal
    }
    // An object instead of a list may be its last record, or a temporary fault.
    certificate.isEndShown =
      walk.isEndShown(ending) && state.lastRead?.page.isOneObject != true
    return certificate
  }

  /// A certificate with the sums of a walk so far.
  static func certificate(
    of walk: Walker, _ verdict: Verdict, _ rule: StopRule, _ why: String, goesOnAt: Instant? = nil
  ) -> Certificate {
    let state = walk.state
    return Certificate(
      verdict: verdict, rule: rule, why: why, pages: state.pages, counts: state.counts,
      distinctKeys: state.distinct, firstTotal: state.firstTotal, lastTotal: state.lastTotal,
      trust: state.firstTotal == nil ? nil : walk.rules.trust, hasMoved: state.hasMoved,
      goesOnAt: goesOnAt)
  }

  // MARK: verdict

  /// Complete, unless something counts against it.
  private func weigh() -> (Verdict, Shortfall?) {
    if let verdict = ending.verdict { return (verdict, ending.cause) }
    if ending.isFailure { return (.failed, nil) }
    if ending.isCap || endsInDoubt {
      // A cap that the job expects is not a shortfall; records that did not fit are.
      if rules.capExpected != nil, let cause = walk.misfit { return (.incomplete, cause) }
      return (.limited, .ceiling)
    }
    if let cause = shortfall { return (.incomplete, cause) }
    if walk.isAtRoundNumber(ending) { return (.limited, .ceiling) }
    return (.complete, nil)
  }

  /// What counts against a list that was read to its end.
  private var shortfall: Shortfall? {
    if walk.emptiness(ending) != nil { return .empty }
    // An ambiguous key makes pages look as if they had moved.
    if walk.misfit == .ambiguousKey, state.keyClashes.areOfMost(of: state.counts.received) {
      return .ambiguousKey
    }
    if let cause = ending.cause { return cause }
    // A search moves by nature, and claims nothing beyond its answer.
    if state.hasMoved, !rules.isSearch, walk.orderProof(ending) == nil { return .moved }
    if ending.rule == .nothingUnseen && !ending.isUnshown && !totalAgrees { return .moved }
    // Of two causes, the one that says less about what is missing comes first.
    if isShort || endsAboveKnown, walk.misfit != .ambiguousKey { return .count }
    if let misfit = walk.misfit { return misfit }
    if isJoined { return memory.isRangeLacking ? .rejects : nil }
    if !walk.weighedSigns(ending).against.isEmpty { return .unread }
    if walk.estimateBeyond != nil { return state.distinct == 0 ? .empty : .count }
    return nil
  }

  /// Something is missing unless a counted total equals the distinct keys: a replacement for a lost record was received
  /// too.
  private var isShort: Bool {
    if isJoined { return false }
    // While the list moved, its total belonged to no single instant.
    if walk.isCounted, state.hasOtherTotal, walk.orderProof(ending) != nil { return false }
    if walk.isCounted, state.lastTotal != nil { return walk.isShortOfTotal }
    return walk.saysMoreThanCame(ending)
  }

  /// It ended before it reached records known to lie further down.
  var endsAboveKnown: Bool {
    guard let range = walk.handed.range, !isJoined, range.from < range.to, !totalAgrees,
      !rules.isSearch, !rules.readsFeed,
      // A short page ends a list whose older records have left.
      let last = state.lastRead, let size = rules.size(at: last.cursor), last.received >= size
    else { return false }
    return state.lastOldest.map { $0 > range.to } ?? false
  }

  /// Near the API's cap an end may be the cap. Not if the walk stopped at a known stretch, or reached a counted total,
  /// unless it is just the cap: then the API may count only what it shows.
  private var endsInDoubt: Bool {
    guard let cap = rules.cap, !isJoined else { return false }
    guard ending.rule == .countedTotal else {
      return max(state.covered, state.distinct) >= cap.doubt
    }
    return rules.capExpected == nil && state.lastTotal == cap.at
  }

  /// Repeated pages cover nothing, so only positions before them, or distinct keys, can agree.
  private var totalAgrees: Bool {
    guard walk.isCounted, let total = state.lastTotal else { return false }
    return max(state.coveredFresh, state.distinct) >= total
  }

  // MARK: proofs

  private func provenBy() -> [ProofKind] {
    guard walk.weighedSigns(ending).doubts.isEmpty, !isOld else { return [] }
    let open = state.edges.proofs(distinct: state.distinct)
    let found = ProofRule.all.filter { rule in
      open.contains(rule.kind) && rule.isOpen(self) && rule.holds(self)
    }.map(\.kind)
    // `twice` depends on the previous walk, whose pages are kept, so it is a last resort.
    return found.count > 1 ? found.filter { $0 != .twice } : found
  }
}

extension Walker {
  /// The certificate of a unit that stops here and resumes later.
  public func paused(_ rule: StopRule, until: Instant?, message: String) -> Certificate {
    Judgement.certificate(of: self, .paused, rule, message, goesOnAt: until)
  }
}

extension Certificate {
  /// Weakens the claim for a list whose rows still include some that the walk did not return, too many to be marked as
  /// gone. The walk itself stays as it was.
  /// - Parameters:
  ///   - areTogether: these rows were adjacent in the list.
  ///   - undecided: other rows that look gone, without proof.
  ///   - older: rows of an earlier request that this request never returned.
  public func withholding(
    _ rows: Int, areTogether: Bool = false, undecided: Int = 0, older: Int = 0
  ) -> Certificate {
    guard verdict.isWhole else { return self }
    var less = self
    if older > 0 {
      less.why +=
        "; \(Wording.count(older, "row", "rows")) of what was asked for before did not come, and "
        + "\(older == 1 ? "stays" : "stay") (if \(older == 1 ? "it is" : "they are") gone: a run with --accept-vanish \(older) marks \(older == 1 ? "it" : "them"))"
    }
    if rows == 0 {
      guard undecided > 0 else { return less }
      less.why += "; \(undecided) look\(undecided == 1 ? "s" : "") gone; the next walk decides"
      return less
    }
    let isEmpty = counts.received == 0
    (less.verdict, less.cause) = (.incomplete, .count)
    less.isAsDeclared = false
    less.proofs = []
    let what = Wording.count(rows, isEmpty || areTogether ? "record" : "row")
    less.why +=
      (isEmpty
        ? "; none came, and the list held \(what): believed from the third walk on, 40 hours later "
        : areTogether
          ? "; \(what) that \(rows == 1 ? "had a page of its own" : "were together") did not come: believed "
            + "when later walks lack the same "
          : "; \(what) of earlier walks did not come, too many to be marked as gone ")
      + "(if \(rows == 1 ? "it is" : "they are") gone: a run with --accept-vanish \(rows) marks \(rows == 1 ? "it" : "them"))"
    return less
  }
}
