internal import Base
internal import TestSupport

/// How the world of a year answers: pages of its lists, details, news and pictures.
extension YearWorld {
  func answer(_ request: Request) -> Result<Answer, ExchangeFailure> {
    state(request) { state in
      let target = request.address.target
      state.run.asked.append("\(request.address.origin.host)\(target)")
      let visit = state.run.times[target, default: 0]
      state.run.times[target] = visit + 1
      time.advance(by: .milliseconds(40))
      let list = Self.list(request.address)
      let trouble = state.night.trouble(request, list: list, visit: visit, self)
      if request.address.origin.host == "api.example", !Self.isUnsent(trouble) {
        state.run.sent += 1
      }
      if let trouble { return trouble }
      return content(request, list, &state)
    }
  }

  private static func isUnsent(_ result: Result<Answer, ExchangeFailure>?) -> Bool {
    if case .failure(let failure) = result { !failure.wasSent } else { false }
  }

  private func state(
    _ request: Request,
    _ body: @Sendable (inout State) -> Result<Answer, ExchangeFailure>
  ) -> Result<Answer, ExchangeFailure> {
    change { state in
      if state.run.isDead { return .failure(Self.failure(.closed, request)) }
      return body(&state)
    }
  }

  static func failure(_ kind: ExchangeFailure.Kind, _ request: Request) -> ExchangeFailure {
    ExchangeFailure(
      kind, cause: .network, address: request.address, sentence: "simulated: \(kind.rawValue)")
  }

  /// The server's clock is right, whatever the machine's own shows.
  func reply(
    _ request: Request, _ status: Int, _ body: [UInt8], _ fields: [HeaderField] = []
  ) -> Answer {
    let date = HeaderField("Date", SimulatedServer.httpDate(trueNow))
    return Answer(
      status: status, fields: HeaderFields(fields + [date]), body: body,
      address: request.address, sentAt: time.now, receivedAt: time.now)
  }

  func reply(_ request: Request, _ status: Int, _ text: String) -> Answer {
    reply(request, status, Array(text.utf8))
  }

  /// What the time really is.
  var trueNow: Instant { Self.start + time.timekeeper.elapsed() }
  static let start = Instant(seconds: 1_795_269_600)

  // MARK: contents

  /// `items topic=a` of `/v1/topics/a/items`.
  private static func list(_ address: WebAddress) -> String {
    let parts = address.path.split(separator: "/").dropFirst().map(String.init)
    switch parts.first {
    case "topics": return "items topic=\(parts[safe: 1] ?? "")"
    case "groups" where parts.count > 1: return "members id=\(parts[1])"
    case "items": return "details"
    default: return parts.first ?? ""
    }
  }

  private func content(
    _ request: Request, _ list: String, _ state: inout State
  ) -> Result<Answer, ExchangeFailure> {
    if request.address.origin.host == "img.example" { return .success(picture(request)) }
    switch list.split(separator: " ").first {
    case "things": return page(of: list, job.things, counts: true, request, &state)
    case "items": return page(of: list, job.items, counts: job.countsItems, request, &state)
    case "members": return page(of: list, job.members, counts: job.countsMembers, request, &state)
    case "groups": return page(of: list, nil, counts: false, request, &state)
    case "details": return details(request, &state)
    case "news": return news(request, &state)
    default: return .success(reply(request, 404, "{}"))
    }
  }

  private func picture(_ request: Request) -> Answer {
    let name = request.address.path.split(separator: "/").last ?? ""
    let numbers = name.split { !$0.isNumber }.compactMap { Int($0) }
    let bytes = Picture.gif((numbers.first ?? 0) * 10 + (numbers[safe: 1] ?? 0))
    return reply(request, 200, bytes, [HeaderField("Content-Type", "image/gif")])
  }

  private func news(
    _ request: Request, _ state: inout State
  ) -> Result<Answer, ExchangeFailure> {
    var answer = state.archive.answer(request, at: trueNow)
    let shown = String(decoding: answer.body, as: UTF8.self).split(separator: #""id":"#).dropFirst()
    state.run.news.formUnion(shown.compactMap { Int($0.prefix { $0.isNumber }) })
    let date = HeaderField("Date", SimulatedServer.httpDate(trueNow))
    answer.fields = HeaderFields(answer.fields.all + [date])
    return .success(answer)
  }

  private func details(
    _ request: Request, _ state: inout State
  ) -> Result<Answer, ExchangeFailure> {
    let ids = PercentEncoding.decoded(SimulatedServer.parameters(request.address)["ids"] ?? "")
    let keys = String(decoding: ids, as: UTF8.self).split(separator: ",").compactMap { Int($0) }
    var texts: [String] = []
    for key in keys {
      guard let record = state.records["items"]?[key] else { continue }
      state.run.shown["details", default: [:]][key, default: []].append(record)
      state.detailed[key] = trueNow
      texts.append(#"{"id":\#(key),"detail":"\#(record.detail)"}"#)
    }
    return .success(reply(request, 200, #"{"items":[\#(texts.joined(separator: ","))]}"#))
  }

  private func page(
    of name: String, _ paging: YearJob.Paging?, counts: Bool, _ request: Request,
    _ state: inout State
  ) -> Result<Answer, ExchangeFailure> {
    guard let list = state.lists[name] else { return .success(reply(request, 404, "{}")) }
    let query = SimulatedServer.parameters(request.address)
    let entries = list.entries
    let size = query["size"].flatMap { Int($0) } ?? .max / 2
    var start = 0
    if let page = query["page"].flatMap({ Int($0) }) { start = max(0, page - 1) * size }
    if let offset = query["offset"].flatMap({ Int($0) }) { start = offset }
    if let rank = (query["token"] ?? query["after"]).flatMap({ Int($0) }) {
      start = entries.firstIndex { $0.rank < rank } ?? entries.count
    }
    let end = min(entries.count, start + size)
    let shown = start < end ? entries[start..<end].map(\.key) : []
    if SimulatedServer.isFirst(query), state.walkBegan[name] == nil {
      state.walkBegan[name] = list.version
    }
    if state.night.event == .comesEmpty(name) {
      return .success(reply(request, 200, #"{"items":[]}"#))
    }
    let table = Self.table(of: name)
    var texts: [String] = []
    let full = state.pageSize[name, default: size]
    state.pageSize[name] = full
    for key in shown {
      guard let record = state.records[table]?[key] else { continue }
      texts.append(Self.text(key, record))
      guard size == full else { continue }
      state.run.shown[table, default: [:]][key, default: []].append(record)
      state.run.listed[name, default: []].insert(key)
    }
    let isBroken = state.night.event == .recordBreaks(name)
    if isBroken, start == 0 { texts.append(#"{"id":null,"name":"broken"}"#) }
    let next = end < entries.count && end > 0 ? "\(entries[end - 1].rank)" : nil
    let address = "\(YearJob.host)\(request.address.path)?size=\(size)&after=\(next ?? "")"
    var parts = [#""items":[\#(texts.joined(separator: ","))]"#]
    let isOff = state.night.event == .totalIsOff(name)
    if counts { parts.append(#""total":\#(entries.count + (isBroken || isOff ? 1 : 0))"#) }
    if paging == .token { parts.append(#""next":\#(next.map { "\"\($0)\"" } ?? "null")"#) }
    if paging == .address {
      parts.append(#""next":\#(next.map { _ in "\"\(address)\"" } ?? "null")"#)
    }
    YearNight.answered(name, &state)
    var fields: [HeaderField] = []
    if paging == .link, next != nil { fields = [HeaderField("Link", "<\(address)>; rel=\"next\"")] }
    return .success(reply(request, 200, Array("{\(parts.joined(separator: ","))}".utf8), fields))
  }

  private static func text(_ key: Int, _ record: Record) -> String {
    let photo = record.photo.map { #","photo":"\#($0)""# } ?? ""
    return #"{"id":\#(key),"name":"\#(record.name)","views":\#(record.views)\#(photo)}"#
  }
}
