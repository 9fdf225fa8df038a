public import Base

/// What the stored pages of a stream say of more of their lists, and their job does not read.
public struct StreamSigns: Sendable, Equatable {
  public var stream: String
  /// Each place once, as the newest page that has it says.
  public var signs: [UnreadSign]
}

extension RecordStore {
  public func unreadSigns(of job: Job) throws(StoreError) -> [StreamSigns] {
    try guarded {
      try job.streams.compactMap { stream in
        let texts = try connection.rows(
          "SELECT signs FROM trawl_pages JOIN trawl_windows USING (window) "
            + "JOIN trawl_lists USING (list_number) WHERE job = ? AND stream = ? "
            // cut: the pages of one API say the same, so the newest tell
            + "AND signs IS NOT NULL ORDER BY page DESC LIMIT 200",
          [.text(job.name), .text(stream.name)]
        ) { $0.text(0) }
        var signs: [UnreadSign] = []
        for sign in texts.flatMap({ SignText.signs($0) })
        where !sign.kind.isAge && !stream.reads(sign) && !stream.knows(sign) {
          if !signs.contains(where: { $0.place == sign.place }) { signs.append(sign) }
        }
        return signs.isEmpty ? nil : StreamSigns(stream: stream.name, signs: signs)
      }
    }
  }
}
