@testable import Base
import Testing

/// Histories of nights, one in each line: the results for a list, and the night on which somebody is told.
@Suite("A list that is as good as it had been")
struct ListCourseTests {
  /// The result of one walk, as the nights below spell it.
  enum Night {
    /// Complete, with this many records.
    case whole(Int)
    /// Read to its end without a proof; with other keys each time if the list changes.
    case read(Int)
    /// Read to its end, but without its total or last page.
    case stripped(Int)
    /// It changed during the walk: with other keys, or those of the night before.
    case moved(Int), shuffled(Int)
    case incomplete(Shortfall)
    case absent, failed, paused
  }

  struct Course: CustomTestStringConvertible, Sendable {
    var name: String
    var isSearch = false
    var every: Duration?
    var nights: [Night]
    /// The first night on which somebody is told; nil: none.
    var told: Int?

    var testDescription: String { name }
  }

  private static func nights(_ count: Int, _ night: Night) -> [Night] {
    Array(repeating: night, count: count)
  }

  static let quiet = nights(10, .whole(100))

  static let courses: [Course] = [
    // Nobody is told of these.
    Course(name: "is complete every night", nights: nights(40, .whole(100))),
    Course(name: "grows", nights: (0..<40).map { .whole(100 + $0 * 10) }),
    Course(name: "shrinks to a third, proven", nights: quiet + nights(10, .whole(33))),
    Course(
      name: "shrinks to a third, proven, and changes in the walks behind it",
      nights: quiet + nights(2, .whole(33)) + nights(3, .moved(33)) + quiet),
    Course(name: "fails for a night", nights: quiet + [.failed] + quiet),
    Course(name: "fails for two nights", nights: quiet + [.failed, .failed] + quiet),
    Course(name: "is not there for two nights", nights: quiet + [.absent, .absent] + quiet),
    Course(name: "waits for a limit for two nights", nights: quiet + [.paused, .paused] + quiet),
    Course(
      name: "falls short of its total for two nights",
      nights: quiet + nights(2, .incomplete(.count)) + quiet),
    Course(name: "changes in six walks in a row", nights: quiet + nights(6, .moved(100)) + quiet),
    Course(name: "is not proven six times in a row", nights: quiet + nights(6, .read(100)) + quiet),
    Course(name: "is never proven", nights: nights(40, .read(100))),
    Course(name: "was never there", nights: nights(40, .absent)),
    Course(
      name: "is a search that brings less and more", isSearch: true,
      nights: (0..<40).map { .read(60 + $0 * 37 % 80) }),
    Course(
      name: "is read weekly, and was not there for a week", every: .seconds(7 * 86_400),
      nights: (0..<40).map { $0 % 7 == 0 && $0 != 21 ? .whole(100) : .paused }),
    // Somebody is told of these on the third night.
    Course(
      name: "falls short by one every night", nights: quiet + nights(9, .incomplete(.count)),
      told: 13),
    Course(
      name: "comes in another order each time", nights: quiet + nights(9, .shuffled(100)), told: 13),
    Course(
      name: "is cut to three quarters", nights: nights(10, .read(100)) + nights(9, .read(76)),
      told: 13),
    Course(name: "is cut to a sixth", nights: quiet + nights(9, .read(30)), told: 13),
    Course(name: "is not there any more", nights: quiet + nights(9, .absent), told: 13),
    Course(name: "waits for a limit for ever", nights: quiet + nights(9, .paused), told: 13),
    Course(name: "fails for ever", nights: quiet + nights(9, .failed), told: 13),
    Course(name: "has lost what proved it", nights: quiet + nights(9, .stripped(100)), told: 13),
    Course(
      name: "was incomplete from its first night", nights: nights(9, .incomplete(.count)), told: 3),
    Course(name: "failed from its first night", nights: nights(9, .failed), told: 3),
    Course(
      name: "is a search that brings a tenth", isSearch: true,
      nights: nights(10, .read(100)) + nights(9, .read(10)), told: 13),
    // And if the last proof is too old.
    Course(name: "changes in every walk", nights: quiet + nights(30, .moved(100)), told: 27),
  ]

  private static let start = Instant(seconds: 1_795_269_600)

  @Test(
    "is told of nobody, and of one that is not on the night that its limit passes",
    arguments: courses)
  func told(course: Course) {
    var list: ListCourse?
    var first: Int?
    var keys: UInt64 = 1
    for (index, night) in course.nights.enumerated() {
      // A timer varies by minutes.
      let now = Self.start + .seconds(Int64(index) * 86_400 + Int64(index * 7 % 10) * 60)
      var state = list ?? ListCourse(since: now)
      if case .shuffled = night {} else { keys += 1 }
      _ = state.note(Self.walk(night, keys: keys, isSearch: course.isSearch), at: now)
      list = state
      let isOld = now - state.goodAt > state.limit(every: course.every)
      if isOld, first == nil { first = index + 1 }
    }
    #expect(first == course.told)
  }

  @Test("is news once, and again only after it was good", arguments: courses)
  func news(course: Course) {
    var list: ListCourse?
    var wasLess = false
    for (index, night) in course.nights.enumerated() {
      let now = Self.start + .seconds(Int64(index) * 86_400)
      var state = list ?? ListCourse(since: now)
      let isNews = state.note(
        Self.walk(night, keys: UInt64(index), isSearch: course.isSearch), at: now)
      if case .paused = night {
        #expect(!isNews, "a pause says so itself")
      } else {
        // A list that never existed is reported once, too.
        #expect(isNews == (state.isLess && !wasLess) || index == 0, "night \(index + 1)")
        wasLess = state.isLess
      }
      #expect(ListCourse(state.text) == state, "it is stored as it is")
      list = state
    }
  }

  /// A list after these nights, and on which of them it was news.
  private static func course(_ nights: [Night]) -> (news: [Bool], list: ListCourse) {
    var list = ListCourse(since: start)
    let news = nights.enumerated().map { index, night in
      list.note(
        walk(night, keys: 1, isSearch: false), at: start + .seconds(Int64(index) * 86_400))
    }
    return (news, list)
  }

  @Test(
    "that is not there is news once, whatever was told before, and no pause makes it news again")
  func absent() {
    #expect(Self.course([.absent, .absent, .paused, .absent]).news == [true, false, false, false])
    #expect(Self.course([.failed, .failed, .absent, .absent]).news == [true, false, true, false])
    #expect(Self.course([.whole(100), .absent, .absent]).news == [false, true, false])
  }

  @Test("is as good as it was with the first walk that lacks records that were together")
  func undecided() {
    var list = ListCourse(since: Self.start)
    let nights = [Night.whole(100), .failed, .failed, .incomplete(.count), .incomplete(.count)]
    let ages = nights.enumerated().map { index, night in
      let now = Self.start + .seconds(Int64(index) * 86_400)
      var walk = Self.walk(night, keys: 1, isSearch: false)
      walk.isUndecided = index > 2
      _ = list.note(walk, at: now)
      return (now - list.goodAt).components.seconds / 86_400
    }
    #expect(ages == [0, 1, 2, 0, 1] && list.isLess)
  }

  @Test("is no news for one walk in which it changed behind a proof, whatever came")
  func firstMove() {
    let (news, list) = Self.course([.whole(100), .shuffled(100), .shuffled(100)])
    #expect(news == [false, false, true])
    #expect(list.goodAt == Self.start && list.isLess)
  }

  @Test("that was changed by another hand is refused or read, and never traps")
  func damaged() throws {
    for text in ["", "[]", #"{"ends":7}"#, #"{"lengths":null}"#, #"{"good":1}"#] {
      #expect(ListCourse(text) == nil)
    }
    let ends = [Int64.min, .max].map { "{\"good_at\":\($0),\"ends\":[\($0),0]}" }
    for text in ["{\"day\":\(Self.start.seconds / 86_400)}", "{\"lengths\":[\(Int.max)]}"] + ends {
      var list = try #require(ListCourse(text))
      #expect(list.limit(every: nil) >= ListCourse.nights)
      _ = list.note(Self.walk(.whole(100), keys: 1, isSearch: false), at: Self.start)
      #expect(list.lengths == [100])
    }
  }

  private static func walk(_ night: Night, keys: UInt64, isSearch: Bool) -> ListCourse.Walk {
    var verdict = Verdict.complete
    var cause: Shortfall?
    var count = 100
    var open: Set<ProofKind> = [.counted, .ends]
    switch night {
    case .whole(let records): count = records
    case .read(let records): (verdict, count) = (.unproven, records)
    case .stripped(let records): (verdict, count, open) = (.unproven, records, [])
    case .moved(let records), .shuffled(let records):
      (verdict, cause, count) = (.incomplete, .moved, records)
    case .incomplete(let why): (verdict, cause) = (.incomplete, why)
    case .absent: verdict = .absent
    case .failed: verdict = .failed
    case .paused: verdict = .paused
    }
    let certificate = Certificate(
      verdict: verdict, cause: cause, rule: .noNextPage, why: "", pages: 3, counts: Counts(),
      distinctKeys: count)
    return ListCourse.Walk(certificate, keys: keys, open: open, isSearch: isSearch)
  }

  @Test(
    "its limit is the longest of 47 hours, three turns, and twice the longest time between its ends"
  )
  func limits() {
    var list = ListCourse(since: Self.start)
    #expect(list.limit(every: nil) == .seconds(47 * 3600))
    #expect(list.limit(every: .seconds(86_400)) == .seconds(86_400 * 29 / 10))
    // Anything before the last five ends is forgotten.
    for (days, longest) in [([0, 1, 2, 5, 6], 3), ([7, 8, 9, 10], 1)] as [([Int64], Int64)] {
      for day in days {
        _ = list.note(
          Self.walk(.whole(9), keys: 1, isSearch: false), at: Self.start + .seconds(day * 86_400))
      }
      #expect(list.limit(every: nil) == .seconds(longest * 86_400 * 21 / 10))
    }
  }
}
