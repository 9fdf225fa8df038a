import Base
@testable import Walk
import Testing

/// Many frameworks refuse a page without records.
@Suite("A place that the API refuses")
struct RefusedPlaceTests {
  /// The API's page of a list of `count`, in its own or the walk's size.
  private static func page(_ step: Step, of count: Int, total: Int? = nil) -> ScriptPage {
    var server = PositionServer(count: count, total: total)
    server.heedsSizes = true
    return server.page(step, size: step.cursor.partSize ?? 100)
  }

  static let refusals: [Walker.Trouble] = [
    .init(.absent, "https://api.example/user/157 answers 404", status: 404),
    .init(.refused, "https://api.example/user/157 answers 400", status: 400),
  ]

  @Test(
    "is the end behind a page that came short, and three walks over 40 hours prove it",
    arguments: PositionRuleTests.pagers, [250, 101, 30])
  func short(pager: Pager, count: Int) throws {
    for refusal in Self.refusals {
      for total in [nil, Total.Trust.estimate] {
        var asked = 0
        var memory = WalkMemory()
        memory.sizesHold = count > 100
        let (_, certificate, _) = try walk(FakeJob.stream(pager, total: total), memory: memory) {
          step in
          let page = Self.page(step, of: count)
          guard page.keys.isEmpty else { return .page(page) }
          asked += 1
          return .trouble(refusal)
        }
        #expect(certificate.verdict == .unproven && certificate.rule == .errorMeansEnd)
        #expect(certificate.distinctKeys == count && certificate.proofs == [])
        let status = refusal == Self.refusals[0] ? "404" : "400"
        #expect(
          certificate.why.contains("errors: [{ status: \(status), then: \"end\" }]") && asked == 1,
          "\(certificate.why)")
        // An estimate that no answer confirms is a doubt of its own.
        guard total == nil else { continue }
        #expect(certificate.why.contains("for 40 hours prove it") == (count > 100))
        memory.pattern = certificate.pattern
        for isOld in [false, true] {
          memory.isPatternOld = isOld
          let (_, later, _) = try walk(FakeJob.stream(pager, total: total), memory: memory) {
            let page = Self.page($0, of: count)
            return page.keys.isEmpty ? .trouble(refusal) : .page(page)
          }
          #expect(later.verdict == (isOld && count > 100 ? .complete : .unproven), "\(later.why)")
        }
      }
    }
  }

  @Test(
    "behind a full page is an end that does not show where it is not there, and others were; else none",
    arguments: PositionRuleTests.pagers)
  func full(pager: Pager) throws {
    for refusal in Self.refusals {
      let isAbsent = refusal == Self.refusals[0]
      for (count, hasSeenMore) in [(100, nil), (100, true), (200, nil)] as [(Int, Bool?)] {
        var memory = WalkMemory(hasSeenMore: hasSeenMore)
        for isOld in [false, true] {
          let (_, certificate, _) = try walk(FakeJob.stream(pager, size: nil), memory: memory) {
            let page = Self.page($0, of: count)
            return page.keys.isEmpty ? .trouble(refusal) : .page(page)
          }
          let isEnd = isAbsent && (count > 100 || hasSeenMore == true)
          let proven: Verdict = isOld ? .complete : .unproven
          #expect(certificate.verdict == (isEnd ? proven : .failed), "\(certificate.why)")
          let what = "page \(count / 100 + 1) is \(isAbsent ? "not there" : "refused")"
          #expect(isEnd || certificate.why.hasPrefix(what), "\(certificate.why)")
          let cure = "errors: [{ status: \(isAbsent ? 404 : 400), then: \"end\" }]"
          #expect(isOld || certificate.why.contains(cure), "\(certificate.why)")
          // A refused request after full pages may be the API's limit.
          let isLimit = certificate.why.contains("then: \"cap\"")
          #expect(isOld || isLimit == (!isAbsent && count > 100), "\(certificate.why)")
          (memory.pattern, memory.isPatternOld) = (certificate.pattern, true)
        }
      }
      let (_, none, _) = try walk(FakeJob.stream(pager)) { _ in .trouble(refusal) }
      #expect([.failed, .absent].contains(none.verdict))
    }
  }

  @Test(
    "beside a counted total that was not reached, records are missing", arguments: [true, false])
  func counted(isMore: Bool) throws {
    let (_, certificate, _) = try walk(FakeJob.stream(FakeJob.number, total: .counted)) { step in
      let page = Self.page(step, of: 150, total: isMore ? 180 : nil)
      return page.keys.isEmpty ? .trouble(.init(.absent, "404")) : .page(page)
    }
    #expect(certificate.verdict == (isMore ? .incomplete : .unproven))
    // Records that the API counts but does not return are cut off, not after the end.
    #expect(certificate.why.contains(isMore ? "then: \"cap\"" : "then: \"end\""))
  }

  @Test(
    "is no end, nor one that a job should declare, by a status that says nothing of it, or none",
    arguments: [401, 402, 403, 405, 407, 423, 440, 499, 300, nil] as [Int?], [nil, 300] as [Int?])
  func noEnd(status: Int?, total: Int?) throws {
    for count in [150, 200] {
      let (run, certificate, _) = try walk(FakeJob.stream(FakeJob.number, total: .counted)) {
        let page = Self.page($0, of: count, total: total)
        return page.keys.isEmpty
          ? .trouble(.init(.refused, "token expired", status: status)) : .page(page)
      }
      #expect(certificate.verdict == .failed && run.isDerived(certificate))
      #expect(certificate.why.contains("token expired"))
      #expect(!certificate.why.contains("job should say so"), "\(certificate.why)")
      let plan = "errors: [{ status: \(status ?? 0), then: \"cap\" }]"
      let isPlan = certificate.why.contains(plan)
      #expect(isPlan == [402, 403].contains(status), "\(certificate.why)")
    }
  }

  @Test(
    "is no end by a rule for lists that are not there (skip): pages of this one came",
    arguments: [400, 403, 429, 500])
  func skipped(status: Int) throws {
    for count in status == 400 ? [200] : [150, 200] {
      let (run, certificate, _) = try walk(FakeJob.stream(FakeJob.number)) {
        let page = Self.page($0, of: count)
        return page.keys.isEmpty ? .trouble(.init(.absent, "no", status: status)) : .page(page)
      }
      #expect(certificate.verdict == .failed && run.isDerived(certificate))
      #expect(certificate.why.contains("page 3 is refused (no; then: \"skip\" is for a list"))
    }
    let (_, none, _) = try walk(FakeJob.stream(FakeJob.number)) { _ in
      .trouble(.init(.absent, "no", status: status))
    }
    #expect(none.verdict == .absent)
  }

  @Test(
    "is no end behind pages that lack hidden records, nor behind a full one of the API's own size",
    arguments: PositionRuleTests.pagers, [400, 422])
  func uneven(pager: Pager, status: Int) throws {
    let lists: [(hidden: [Int], size: Int, isEnd: Bool)] = [
      ([11, 12, 61], 50, false), ([11, 61, 62], 50, false), ([], 30, false), ([], 30, true),
    ]
    for (hidden, size, isEnd) in lists {
      let (run, certificate, _) = try walk(FakeJob.stream(pager, size: isEnd ? 100 : 50)) { step in
        let begin: Int =
          switch step.cursor {
          case .number(let page): (page - 1) * size
          case .offset(let offset): offset
          default: 0
          }
        guard begin < (isEnd ? 67 : 90) else {
          return .trouble(.init(.refused, "no more on this plan", status: status))
        }
        let places = begin..<min(begin + size, isEnd ? 67 : 200)
        return .page(ScriptPage(places.filter { !hidden.contains($0) }))
      }
      #expect(certificate.verdict == (isEnd ? .unproven : .failed), "\(certificate.why)")
      #expect(certificate.rule == (isEnd ? .errorMeansEnd : .failure) && run.isDerived(certificate))
      #expect(certificate.why.contains("errors: [{ status: \(status), then: \"end\" }]"))
      #expect(certificate.why.contains("then: \"cap\"") == !isEnd, "\(certificate.why)")
    }
  }

  @Test("where it is named by a record says that this one has left: the list moved")
  func leftRecord() throws {
    let last = LastRecord([try JSONPath("id")], isUnique: true)
    let stream = try FakeJob.stream(.chain(NextPage(.record(last), parameter: "after")), size: 2)
    for refusal in Self.refusals {
      for refused in [2, 3] {
        let (_, certificate, _) = try walk(stream) { step in
          if step.ordinal >= refused { return .trouble(refusal) }
          let first = step.ordinal * 2
          return .page(ScriptPage([first, first + 1], next: .token("\(first + 1)")))
        }
        // Page 2 may mean that the API does not know the parameter: nothing has followed yet.
        #expect(certificate.verdict == (refused == 2 ? .failed : .incomplete))
        #expect(certificate.cause == (refused == 2 ? nil : .moved))
      }
    }
  }

  @Test("a size that a server puts into its own addresses counts no pages, whatever it is")
  func clampedAddresses() throws {
    for (asked, given) in [(30, 20), (30, 30), (100, 50), (20, 100)] {
      let first = try WebAddress("https://api.example/things?per_page=\(asked)")
      var counter = AddressCounter()
      for page in 2...5 {
        counter.note(
          "https://api.example/things?per_page=\(given)&page=\(page)", first: first, size: asked,
          received: min(asked, given))
        #expect(counter.isCounting, "\(asked) \(given)")
      }
    }
  }

  @Test("lengths in pages that answer our own sizes are lengths in pages of those sizes")
  func pagesOfOurSizes() throws {
    for count in [30, 150, 250, 480] {
      for names in [true, false] {
        var memory = WalkMemory()
        memory.sizesHold = true
        let (_, certificate, _) = try walk(FakeJob.stream(FakeJob.number), memory: memory) { step in
          let (page, size): (Int, Int) =
            switch step.cursor {
            case .number(let page): (page, 100)
            case .sized(let page, let size): (page, size)
            default: (1, step.cursor.partSize ?? 100)
            }
          var script = Self.page(step, of: count)
          let pages = (count + size - 1) / size
          script.signs = [UnreadSign("nbPages", .pages, "\(pages)", number: pages)]
          if names { script.signs.append(UnreadSign("page", .page, "\(page)", number: page)) }
          return .page(script)
        }
        #expect(certificate.verdict == .complete, "\(count) \(names): \(certificate.why)")
      }
    }
  }
}
