import Base
import TestSupport

/// Notes with times, the newest first, five a page.
enum Notes {
  typealias Note = (id: Int, at: Instant)

  static let numbered = #"pages: { by: "number", to: "?page", size: 5 },"#

  /// - Parameter more: how its list is requested, and for what times.
  static func job(_ more: String) throws -> Job {
    try Job.file(
      """
      notes: {
        get: "/notes", \(more) records: "items", key: ["id"],
        columns: { id: "id", at: "at as time" },
      },
      """, name: "forge")
  }

  /// A note on each of the last days.
  static func daily(_ count: Int, before now: Instant) -> [Note] {
    (0..<count).map { (id: $0, at: now - .seconds(86_400 * Int64($0) + 3_600)) }
  }

  /// Those within the times of a request; both ends are included.
  static func found(_ request: Request, of notes: [Note]) -> [Note] {
    func time(_ name: String) -> Instant? { request[name].flatMap { Instant(rfc3339: $0) } }
    return notes.filter {
      time("since") ?? .init(seconds: 0) <= $0.at && $0.at <= time("until") ?? $0.at
    }
  }

  static func records(_ notes: some Sequence<Note>) -> [String] {
    notes.map { #"{"id":\#($0.id),"at":"\#($0.at)"}"# }
  }

  /// The records of the page that is requested by number.
  static func page(_ request: Request, of notes: [Note]) -> [String] {
    let page = max(1, request.number("page") ?? 1)
    return records(notes.dropFirst((page - 1) * 5).prefix(5))
  }

  /// Gives these in pages, with their number, and no more of a list than the most.
  static func pages(of notes: [Note], most: Int = .max) -> ScriptedExchange {
    .json { request, _ in
      let found = Notes.found(request, of: notes)
      return listing(Notes.page(request, of: Array(found.prefix(most))), total: found.count)
    }
  }

  /// Gives these at once, with their number.
  /// - Parameter leavesOutEnds: without those at the ends of the window.
  static func whole(of notes: [Note], leavesOutEnds: Bool = false) -> ScriptedExchange {
    .json { request, _ in
      let found = Notes.found(request, of: notes).filter { note in
        !leavesOutEnds || ![request["since"], request["until"]].contains("\(note.at)")
      }
      return listing(Notes.records(found), total: found.count)
    }
  }
}
