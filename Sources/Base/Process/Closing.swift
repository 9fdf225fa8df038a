/// Runs `body`, then closes what it uses, even if it throws.
public func closing<Result, Failure: Error>(
  _ close: () async -> Void, _ body: () async throws(Failure) -> Result
) async throws(Failure) -> Result {
  do {
    let result = try await body()
    await close()
    return result
  } catch {
    await close()
    throw error
  }
}
