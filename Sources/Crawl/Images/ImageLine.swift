internal import Base
internal import Media
internal import Store

/// The images of a pass by state: waiting for a place, in flight, or waiting to be made durable. A value; the pass
/// carries out its decisions.
struct ImageLine: Sendable {
  /// The result of one image's request.
  enum Fetched: Sendable {
    case stored(FinishedImage, Answer)
    case outcome(ImageOutcome)
    /// The folder or the ledger cannot be written.
    case broken(any Error)
    /// The pass ended before it was requested.
    case notAsked
  }

  /// A finished image with its place in the queue.
  struct Finished: Sendable {
    var number: Int
    var due: ImageDue
    var image: FinishedImage
    var answer: Answer
  }

  /// What is made durable and recorded together.
  struct Group: Sendable {
    var finished: [Finished] = []
    var outcomes: [ImageOutcome] = []
  }

  /// Images read from the database at once.
  static let refillMax = 1_024
  /// Bytes of finished images that may wait, in memory or open files, to be made durable.
  static let unsettledBytesMax = 16_000_000

  /// The most files that are open at a time.
  let unsettledMax: Int
  /// The smallest group that is written while more images come.
  static let groupMin = 16
  private static let groupGrowth = 16
  /// The largest group. What a kill leaves unrecorded is fetched again.
  static let groupMax = 512
  static let groupBytesMax = 4_000_000
  /// Finished images that are not recorded yet: one group being written, and one being gathered.
  static let unsettledImagesMax = 2 * groupMax
  /// Size of the next group: 16 times what finished while the last one was written, so that a group waits about 16
  /// times as long as its writing takes. Each group costs syncs, a commit and most of the 256 folders, so groups grow
  /// where images come fast and shrink where they do not.
  private(set) var groupDue = groupMin
  private(set) var waiting: ArraySlice<ImageDue> = []
  /// Images taken from the queue and not recorded yet, with their place in it.
  private var taken: [String: Int] = [:]
  private var next = 0
  private(set) var running = 0
  private(set) var finished: [Finished] = []
  private(set) var unsettledBytes = 0
  private var unsettled = 0
  /// Bytes of images that await their group.
  private var finishedBytes = 0
  private var openFiles = 0
  private(set) var outcomes: [ImageOutcome] = []
  var isWriting = false
  /// The queue may hold more than was taken.
  var mayBeMore = true
  /// The walk goes on and may queue more.
  var isOpen = true
  /// A ceiling is reached: no further image is requested, but the run continues.
  private(set) var isHalted = false
  /// No further request, and no wait for the walk: a signal came, or the disk failed.
  var isStopping = false

  init(unsettledMax: Int) { self.unsettledMax = unsettledMax }

  var takenCount: Int { taken.count }
  var isDone: Bool {
    running == 0 && !isWriting && finished.isEmpty && outcomes.isEmpty
      && (isStopping || (!isOpen && (isHalted || (waiting.isEmpty && !mayBeMore))))
  }

  func wantsMore(atOnce: Int) -> Bool {
    !isStopping && !isHalted && mayBeMore && waiting.count < atOnce
  }

  /// - Parameter asked: how many were asked for; fewer means that the queue is empty.
  mutating func refill(_ due: [ImageDue], asked: Int) {
    mayBeMore = due.count >= asked
    let fresh = due.filter { taken[$0.identity] == nil }
    for image in fresh {
      taken[image.identity] = next
      next += 1
    }
    waiting += fresh
  }

  mutating func halt() {
    isHalted = true
    dropWaiting()
  }

  /// Returns what was not requested yet: it stays due.
  mutating func dropWaiting() {
    for image in waiting { taken[image.identity] = nil }
    waiting = []
  }

  /// The next image to request, if there is a free place and room for its bytes.
  mutating func start(atOnce: Int) -> ImageDue? {
    guard !isStopping, !isHalted, running < atOnce, openFiles + running < unsettledMax,
      unsettledBytes < Self.unsettledBytesMax, unsettled + running < Self.unsettledImagesMax,
      atOnce > 1 || isReadyToAskAlone,
      let image = waiting.popFirst()
    else { return nil }
    running += 1
    return image
  }

  /// Strictly in turn, as for a recording: no request while a group is or is to be written, so that groups and their
  /// times do not depend on which of the two is faster.
  private var isReadyToAskAlone: Bool {
    !isWriting && finished.count + outcomes.count < Self.groupMin
  }

  mutating func take(_ image: ImageDue, _ fetched: Fetched) {
    running -= 1
    switch fetched {
    case .stored(let file, let answer):
      unsettled += 1
      unsettledBytes += file.image.byteCount
      finishedBytes += file.image.byteCount
      openFiles += file.isOpenFile ? 1 : 0
      finished.append(
        Finished(number: taken[image.identity] ?? 0, due: image, image: file, answer: answer))
    case .outcome(let outcome): outcomes.append(outcome)
    case .broken: isStopping = true
    case .notAsked:
      taken[image.identity] = nil
      isStopping = true
    }
  }

  /// What is to be written now, if anything.
  mutating func group() -> Group? {
    guard !isWriting else { return nil }
    let count = finished.count + outcomes.count
    let isIdle = running == 0 && (waiting.isEmpty || isStopping)
    let isDue = count >= groupDue || finishedBytes >= Self.groupBytesMax
    guard isDue || (isIdle && count > 0) || (isFull && count > 0) else { return nil }
    // In the order of the queue, not of arrival.
    finished.sort { $0.number < $1.number }
    let group = Group(finished: nextPart(), outcomes: outcomes)
    outcomes = []
    isWriting = true
    return group
  }

  /// The first finished images, as many as fit in one group.
  private mutating func nextPart() -> [Finished] {
    var bytes = 0
    // cut: the next group begins with the rest
    let part = Array(
      finished.prefix(Self.groupMax).prefix { one in
        defer { bytes += one.image.image.byteCount }
        return bytes < Self.groupBytesMax
      })
    finished.removeFirst(part.count)
    finishedBytes -= part.reduce(0) { $0 + $1.image.image.byteCount }
    return part
  }

  private var isFull: Bool {
    openFiles + running >= unsettledMax || unsettledBytes >= Self.unsettledBytesMax
      || unsettled + running >= Self.unsettledImagesMax
  }

  mutating func written(_ group: Group) {
    isWriting = false
    let come = finished.count + outcomes.count
    groupDue = min(max(Self.groupGrowth * come, Self.groupMin), Self.groupMax)
    for one in group.finished {
      taken[one.due.identity] = nil
      unsettled -= 1
      unsettledBytes -= one.image.image.byteCount
      openFiles -= one.image.isOpenFile ? 1 : 0
    }
    for outcome in group.outcomes { taken[outcome.identity] = nil }
  }

  /// Drops finished images unwritten.
  mutating func abandon() {
    isStopping = true
    finished = []
    finishedBytes = 0
    outcomes = []
    dropWaiting()
  }
}
