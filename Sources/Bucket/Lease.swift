internal import Base

/// What a worker knows of its claim. Time is the store's: its date, and what has passed here since it came.
public struct Lease: Sendable, Equatable {
  /// Renewed at a third of it.
  public static let lengthDefault = Duration.seconds(60)

  var head: Head
  var tag: String
  /// The store's date, and our steady clock when it came.
  var date: Instant
  var heardAt: Duration
  /// How long that answer took.
  var delay: Duration
  var length: Duration
  /// Our steady clock just before the last renewal was sent.
  var renewedAt: Duration

  /// Never ahead of the store's own clock.
  func storeTime(at elapsed: Duration) -> Instant { date + (elapsed - heardAt) }

  /// Requests may be sent until then: two renewals may fail, and a date is cut to whole seconds.
  var deadline: Duration {
    renewedAt + min(length * 2 / 3, max(.zero, length - .seconds(1) - delay))
  }

  func isDue(at elapsed: Duration) -> Bool { elapsed - renewedAt >= length / 3 }

  /// The lease after a swap of the head.
  func after(
    _ swapped: (head: Head, tag: String, date: Instant?), sent: Duration, heard: Duration
  ) -> Lease {
    var lease = self
    (lease.head, lease.tag, lease.renewedAt) = (swapped.head, swapped.tag, sent)
    if let date = swapped.date {
      (lease.date, lease.heardAt, lease.delay) = (date, heard, heard - sent)
    }
    return lease
  }
}

// MARK: for the other processes of this cache

extension Lease {
  init?(json bytes: [UInt8], length: Duration) {
    // What cannot be read is not a lease.
    guard let root = try? JSONDocument.read(bytes).root, let tag = root["tag"]?.string,
      let date = root["date"]?.integer, let heard = root["heard"]?.integer,
      let delay = root["delay"]?.integer, let renewed = root["renewed"]?.integer,
      // As above.
      let text = root["head"]?.string, let head = try? Head(json: Array(text.utf8))
    else { return nil }
    self.init(
      head: head, tag: tag, date: Instant(milliseconds: date), heardAt: .milliseconds(heard),
      delay: .milliseconds(delay), length: length, renewedAt: .milliseconds(renewed))
  }

  var json: [UInt8] {
    let object: JSONObject = [
      "tag": tag, "date": date, "heard": heardAt, "delay": delay, "renewed": renewedAt,
      "head": String(decoding: head.json, as: UTF8.self),
    ]
    return object.bytes
  }
}
