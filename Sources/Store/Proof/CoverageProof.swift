internal import Base

/// Checks the stretches of time that count as covered: each must be a stretch, none may overlap
/// another, and every certified window must be inside one.
struct CoverageProof {
  let connection: Connection

  private struct Stretch {
    var list, request, mapping: Int64
    var from, to: String

    func isOfSame(_ other: Stretch) -> Bool {
      list == other.list && request == other.request && mapping == other.mapping
    }
  }

  func prove(_ choice: ProofChoice, _ proof: inout Proof) throws {
    let names: [(Int64, String, String, String)] = try connection.rows(
      "SELECT list_number, job, stream, list FROM trawl_lists")
    var labels: [Int64: String] = [:]
    for (list, job, stream, listName) in names where choice.takes(job: job, stream: stream) {
      labels[list] = listName
    }
    let stretches = try connection.rows(
      "SELECT list_number, request_print, mapping_print, covered_from, covered_to FROM "
        + "trawl_coverage ORDER BY 1, 2, 3, 4", as: Stretch.init)
    var before: Stretch?
    for stretch in stretches {
      guard let label = labels[stretch.list] else { continue }
      proof.intervals += 1
      let told = "\(label), \(stretch.from) to \(stretch.to)"
      // UTC text of fixed width: sorts by time.
      let isWhole = [stretch.from, stretch.to].allSatisfy { Instant(stored: $0) != nil }
      if !isWhole || stretch.from >= stretch.to {
        proof.add("trawl_coverage", told, "it is not a stretch of time")
      }
      if let before, before.isOfSame(stretch), before.to > stretch.from {
        proof.add("trawl_coverage", told, "it overlaps the stretch before it")
      }
      before = stretch
    }
    let windows = try connection.rows(
      "SELECT u.list_number, c.request_print, c.mapping_print, u.window_from, "
        + "min(u.window_to, ifnull(c.covers_to, u.window_to)) "
        + "FROM trawl_certificates c JOIN trawl_windows u USING (window) WHERE c.is_as_declared "
        + "= 1 AND u.window_from <> ''", as: Stretch.init)
    let ofList = Dictionary(grouping: stretches, by: \.list)
    for window in windows {
      guard let label = labels[window.list] else { continue }
      var reached = window.from
      for stretch in ofList[window.list] ?? []
      where stretch.isOfSame(window) && stretch.from <= reached {
        reached = max(reached, stretch.to)
      }
      if reached < window.to {
        proof.add(
          "trawl_coverage", "\(label), \(window.from) to \(window.to)",
          "the window is certified, and no covered stretch holds it")
      }
    }
  }
}
