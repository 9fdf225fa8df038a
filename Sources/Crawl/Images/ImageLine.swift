internal import Base
internal import Media
internal import Store

/// The images of a pass by their state: waiting for a free place, requested, or waiting to be made
/// durable. A value; the pass carries out what it says.
struct ImageLine: Sendable {
  /// What came back from one image.
  enum Fetched: Sendable {
    case stored(FinishedImage, Answer)
    case outcome(ImageOutcome)
    /// The folder or the ledger cannot be written.
    case broken(any Error)
    /// The end came before it was asked.
    case notAsked
  }

  /// A finished image in the order of the queue.
  struct Finished: Sendable {
    var number: Int
    var due: ImageDue
    var image: FinishedImage
    var answer: Answer
  }

  /// What is made durable and written down together.
  struct Group: Sendable {
    var finished: [Finished] = []
    var outcomes: [ImageOutcome] = []
  }

  /// Images are asked for from the database so many at a time.
  static let refillMax = 1_024
  /// Finished images are in memory, or open files, until they are durable: no more bytes than these.
  static let unsettledBytesMax = 16_000_000

  /// No more files than these are open at a time.
  let unsettledMax: Int
  /// Nothing is written for fewer than these while more come.
  static let groupMin = 16
  private static let groupGrowth = 16
  /// No group waits for more than these, nor for more bytes. A kill costs what is not written down: it is
  /// fetched again.
  static let groupMax = 512
  static let groupBytesMax = 4_000_000
  /// Finished images that are not written down yet: one group that is written, and one that is gathered.
  static let unsettledImagesMax = 2 * groupMax
  /// So many are written together next: 16 times what came while the last group was written, so that a
  /// group waits about 16 times as long as its writing takes. Each group costs syncs, a commit of its own and
  /// opens most of the 256 folders, so groups grow where images come fast, and are small again where
  /// they come one by one.
  private(set) var groupDue = groupMin
  private(set) var waiting: ArraySlice<ImageDue> = []
  /// Taken from the queue and not yet written down, with their place in it.
  private var taken: [String: Int] = [:]
  private var next = 0
  private(set) var running = 0
  private(set) var finished: [Finished] = []
  private(set) var unsettledBytes = 0
  private var unsettled = 0
  /// Of those that wait for their group.
  private var finishedBytes = 0
  private var openFiles = 0
  private(set) var outcomes: [ImageOutcome] = []
  var isWriting = false
  /// More may be due than was taken.
  var mayBeMore = true
  /// The walk goes on and may queue more.
  var isOpen = true
  /// A ceiling is reached: nothing more is asked in this run, which goes on.
  private(set) var isHalted = false
  /// Nothing more is asked, and nobody waits for the walk: a signal, or the disk refused.
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

  /// - Parameter asked: how many were asked for; fewer came when the queue is empty.
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

  /// Gives back what was not asked yet: it stays due.
  mutating func dropWaiting() {
    for image in waiting { taken[image.identity] = nil }
    waiting = []
  }

  /// The next one to ask, if there is a free place and room for its bytes.
  mutating func start(atOnce: Int) -> ImageDue? {
    guard !isStopping, !isHalted, running < atOnce, openFiles + running < unsettledMax,
      unsettledBytes < Self.unsettledBytesMax, unsettled + running < Self.unsettledImagesMax,
      atOnce > 1 || isReadyToAskAlone,
      let image = waiting.popFirst()
    else { return nil }
    running += 1
    return image
  }

  /// One thing after the other, as in a recording: nothing is asked while a group is written or is
  /// to be written, so that groups and their instants do not hang on which of the two is faster.
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

  /// What is to be written now, if so.
  mutating func group() -> Group? {
    guard !isWriting else { return nil }
    let count = finished.count + outcomes.count
    let isIdle = running == 0 && (waiting.isEmpty || isStopping)
    let isDue = count >= groupDue || finishedBytes >= Self.groupBytesMax
    guard isDue || (isIdle && count > 0) || (isFull && count > 0) else { return nil }
    // In the order of the queue, whichever came first.
    finished.sort { $0.number < $1.number }
    let group = Group(finished: nextPart(), outcomes: outcomes)
    outcomes = []
    isWriting = true
    return group
  }

  /// The first of the finished ones, as many as one group may have.
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

  /// Nothing that is finished will be written.
  mutating func abandon() {
    isStopping = true
    finished = []
    finishedBytes = 0
    outcomes = []
    dropWaiting()
  }
}
