/// A ledger that travels between machines with its folder: the holder of the claim spends.
public struct TravellingLedger: Sendable {
  public struct Problem: Error, Sendable {
    let sentence: String
    public init(sentence: String) { self.sentence = sentence }
  }

  /// The claim in force: blocks of any other claim count as spent.
  let claim: String
  /// Puts the file as it is now where the next machine finds it. Blocks; throws if that is uncertain.
  let put: @Sendable () throws(Problem) -> Void

  public init(claim: String, put: @escaping @Sendable () throws(Problem) -> Void) {
    self.claim = claim
    self.put = put
  }
}
