internal import Base
internal import TestSupport

/// How the world of a year answers: list pages, details, news and pictures.
extension YearWorld {
  func answer(_ request: Request) -> Result<Answer, ExchangeFailure> {
    change { state in
      if state.run.isDead { return .failure(.simulated(.closed, request)) }
      let target = request.address.target
      state.run.asked.append("\(request.address.origin.host)\(target)")
      let visit = state.run.times[target, default: 0]
      state.run.times[target] = visit + 1
      time.advance(by: .milliseconds(40))
      let list = Self.list(request.address)
      let trouble = state.night.trouble(request, list: list, visit: visit, self)
      let host = request.address.origin.host
      if host != "img.example", host != YearJob.host(state.moved) {
        return .failure(.simulated(.unreachable, request))
      }
      if host != "img.example", !Self.isUnsent(trouble) { state.run.sent += 1 }
      if let trouble {
        if host == "img.example" { state.lacking.insert("https://\(host)\(target)") }
        return trouble
      }
      return content(request, list, &state)
    }
  }

  private static func isUnsent(_ result: Result<Answer, ExchangeFailure>?) -> Bool {
    if case .failure(let failure) = result { !failure.wasSent } else { false }
  }

  /// The server's clock is right, whatever the machine's clock shows.
  func reply(
    _ request: Request, _ status: Int, _ body: [UInt8], _ fields: [HeaderField] = []
  ) -> Answer {
    let date = HeaderField("Date", CivilTime(trueNow).httpDate)
    return .whole(request, body, fields + [date], status: status, at: time.now)
  }

  func reply(_ request: Request, _ status: Int, _ text: String) -> Answer {
    reply(request, status, Array(text.utf8))
  }

  /// The true time.
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
    switch list {
    case "details": return details(request, &state)
    case "news": return news(request, &state)
    default: return page(of: list, request, &state)
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
    let date = HeaderField("Date", CivilTime(trueNow).httpDate)
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
    of name: String, _ request: Request, _ state: inout State
  ) -> Result<Answer, ExchangeFailure> {
    guard let list = state.lists[name] else { return .success(reply(request, 404, "{}")) }
    let (paging, counts) = job.paging(String(name.split(separator: " ")[0]))
    let query = SimulatedServer.parameters(request.address)
    if SimulatedServer.isFirst(query), state.walkBegan[name] == nil {
      state.walkBegan[name] = list.version
    }
    let change = state.night.event?.answer(to: name)
    var (entries, total) = (list.entries, list.entries.count)
    let asked = query["size"].flatMap { Int($0) } ?? .max / 2
    var (size, said) = (asked, asked)
    switch change {
    case .empty: return .success(reply(request, 200, #"{"items":[]}"#))
    case .total(let off): total += off
    case .broken: total += 1
    case .shuffled: state.night.shuffle(&entries)
    case .cut(let percent): entries = Array(entries.prefix(entries.count * percent / 100))
    case .stale: entries = state.copies[name] ?? entries
    case .clamped(let most, let isSaid):
      size = min(size, most)
      if isSaid { said = size }
    default: break
    }
    let start = SimulatedServer.start(query, entries, size: size)
    let end = min(entries.count, start + size)
    let shown = start < end ? entries[start..<end].map(\.key) : []
    let table = Self.table(of: name)
    let full = state.pageSize[name, default: asked]
    state.pageSize[name] = full
    var texts: [String] = []
    for key in shown {
      guard var record = state.records[table]?[key] else { continue }
      var field = ""
      if case .renamed(let name) = change { field = name }
      texts.append(Self.text(key, record, without: field))
      guard asked == full || change?.isClamped ?? false, field != "id" else { continue }
      if field == "name" { record.name = "" }
      state.run.shown[table, default: [:]][key, default: []].append(record)
      state.run.listed[name, default: []].insert(key)
    }
    if change == .broken, start == 0 { texts.append(#"{"id":null,"name":"broken"}"#) }
    var parts = [#""items":[\#(texts.joined(separator: ","))]"#]
    if counts { parts.append(#""total":\#(total)"#) }
    var fields: [HeaderField] = []
    // Links follow what is counted, other ways to page what is shown.
    let isMore = end > start && end < (paging == .pages ? list.entries.count : entries.count)
    let next = isMore && !(change == .noNext && start == 0) ? entries[end - 1].rank : nil
    let address = "\(request.address.origin)\(request.address.path)?size=\(said)"
    switch paging {
    case .token: parts.append(#""next":\#(next.map { "\"\($0)\"" } ?? "null")"#)
    case .address:
      parts.append(#""next":\#(next.map { "\"\(address)&after=\($0)\"" } ?? "null")"#)
    case .link:
      if let next { fields = [HeaderField("Link", "<\(address)&after=\(next)>; rel=\"next\"")] }
    case .pages:
      let last = (list.entries.count + size - 1) / size
      let links = [("next", start / size + 2), ("last", last)].map { name, page in
        "<\(address)&page=\(page)>; rel=\"\(name)\""
      }
      if next != nil { fields = [HeaderField("Link", links.joined(separator: ", "))] }
    case .number, .offset, nil: break
    }
    YearNight.answered(name, &state)
    return .success(reply(request, 200, Array("{\(parts.joined(separator: ","))}".utf8), fields))
  }

  private static func text(_ key: Int, _ record: Record, without field: String) -> String {
    let photo = record.photo.map { #","photo":"\#($0)""# } ?? ""
    let (id, name) = (field == "id" ? "key" : "id", field == "name" ? "label" : "name")
    return #"{"\#(id)":\#(key),"\#(name)":"\#(record.name)","views":\#(record.views)\#(photo)}"#
  }
}
