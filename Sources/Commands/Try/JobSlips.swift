internal import Base
internal import Drafting
internal import Walk

/// Mistakes in a job file that the records of page 1 show although every path leads to something.
struct JobSlips {
  private(set) var sentences: [String] = []
  /// Different records share a key: a run would store fewer than it receives.
  private(set) var clash: String?

  /// Fewer records prove nothing.
  private static let enough = 3
  /// So many different values are no chance.
  private static let manyRecords = 10

  init(_ stream: Stream, _ page: Page, _ counts: Counts) {
    let root = page.document.root
    if let slip = PageReader.oneOfMany(stream, in: page) { sentences.append(slip) }
    if page.records.isEmpty, let other = PageReader.otherList(of: stream, in: root) {
      sentences.append("there is no record, and \(other.value) at \"\(other.place)\"")
    }
    noteKey(stream, counts, page.records)
    noteID(stream, page.records)
    notePlace(stream)
    if let slip = PageReader.emptyKeep(stream, counts) { sentences.append(slip) }
    noteOrder(stream, page.records)
    noteStep(stream, page.records)
    noteZone(stream, page.records)
    noteImages(stream, page.records)
  }

  private mutating func noteKey(_ stream: Stream, _ counts: Counts, _ records: [JSONValue]) {
    // A record that came twice repeats its key rightly.
    let twice = records.count - Set(records.map(\.json)).count
    guard counts.repeated > twice else {
      if twice > 0 { sentences.append("\(Wording.count(twice, "record")) came twice") }
      return
    }
    let keys = counts.received - counts.repeated - counts.dropped - counts.rejected
    clash =
      "\(Wording.count(keys + counts.repeated, "record")) have "
      + "\(Wording.count(keys, "different key")) (\(stream.key.joined(separator: ", "))): "
      + "the key does not distinguish them"
  }

  /// A key that holds more, or something else, than what tells records apart: where that changes, the record counts
  /// as gone, and as a new one.
  private mutating func noteID(_ stream: Stream, _ records: [JSONValue]) {
    guard clash == nil, records.count >= Self.manyRecords,
      let id = stream.columns.first(where: {
        ["id", "uid", "uuid", "guid"].contains($0.name.lowercased()) && !$0.paths.isEmpty
      }),
      stream.key != [id.name]
    else { return }
    let others = stream.key.filter { $0 != id.name }
    guard !others.contains(where: { stream.column($0)?.paths.isEmpty ?? true }) else { return }
    let values = records.compactMap { id.value(in: $0)?.json }
    // What is alike in most records belongs to the key beside it: a date, a language.
    let rest = records.map { record in
      others.map { stream.column($0)?.value(in: record)?.json }
    }
    guard values.count == records.count, Set(values).count == records.count,
      Set(rest).count * 2 > records.count
    else { return }
    sentences.append(
      "key is \(stream.key.joined(separator: ", ")), and \(id.name) alone distinguishes all "
        + "\(Wording.count(records.count, "record")): one whose \(others.joined(separator: " or ")) changes "
        + "would count as gone, and as new")
  }

  /// A place in the list that was copied with the address: what is before it is never requested.
  private mutating func notePlace(_ stream: Stream) {
    for item in stream.query {
      guard item.value.holes.isEmpty, case .text(let value)? = item.value.parts.first,
        ParameterWords.isLater(item.name, value), stream.window == nil
      else { continue }
      sentences.append(
        "\(item.name)=\(value.shortened(to: 40)) is part of every request, and looks like a place in the list: "
          + "what is before it would be missing")
    }
  }

  /// Page 1 is sorted, but opposite to the declared order.
  private mutating func noteOrder(_ stream: Stream, _ records: [JSONValue]) {
    let newestFirst = stream.newestFirst.map { ListOrder($0, .falling, by: .time) }
    guard let order = stream.order ?? newestFirst, let column = stream.column(order.column)
    else { return }
    let values = records.compactMap { column.value(in: $0).flatMap(Self.sorted) }
    guard values.count == records.count, Set(values).count >= Self.enough else { return }
    let reverse = ListOrder(
      order.column, order.direction == .rising ? .falling : .rising, by: .time)
    let isReverse = zip(values, values.dropFirst()).allSatisfy { reverse.mayPrecede($0, $1) }
    guard isReverse else { return }
    // Pages by number or offset prove nothing by a time.
    sentences.append(
      "order says \"\(order.text)\", and page 1 is \(reverse.direction.rawValue): "
        + (stream.order == nil
          ? "leave order out"
          : "if the API promises that, write order: \"\(reverse.text)\""))
  }

  /// Nil: not clearly sortable.
  private static func sorted(_ value: JSONValue) -> SortValue? {
    if let number = value.integer { return Int64(exactly: number).map { .number($0) } }
    guard let text = value.string else { return nil }
    return Instant(rfc3339: text).map { .number($0.milliseconds) } ?? .text(Array(text.utf8))
  }

  /// A window with a step ends with a whole second, and misses what is within that second.
  private mutating func noteStep(_ stream: Stream, _ records: [JSONValue]) {
    guard let window = stream.window, window.step != nil, window.includesEnd,
      stream.namesWindowEnd, !window.form.isOfDays, !window.form.isOfMilliseconds,
      let column = window.column.flatMap(stream.column)
    else { return }
    let finer = records.lazy.compactMap { column.value(in: $0) }.first { value in
      value.string.flatMap { Instant(rfc3339: $0) }.map { $0.milliseconds % 1000 != 0 } ?? false
    }
    guard let finer else { return }
    sentences.append(
      "window: step says that times are whole seconds, and \(column.name) has a fraction of one, which a window "
        + "would miss: \(String(decoding: finer.json, as: UTF8.self)); write no step")
  }

  /// A window whose ends the API may compare with its local times.
  private mutating func noteZone(_ stream: Stream, _ records: [JSONValue]) {
    guard let window = stream.window, !window.form.isOfDays, !window.form.isNumber,
      let column = window.column.flatMap(stream.column), case .time(_, nil) = column.kind
    else { return }
    let local = records.lazy.compactMap { column.value(in: $0) }.first { value in
      guard case .moment(let moment)? = value.withUTF8({ TimeReader.read($0) }) else {
        return false
      }
      return moment.offsetMinutes == nil
    }
    guard let text = local?.string else { return }
    sentences.append(
      "window: the times of \(column.name) name no zone (\(text)): write their zone, as in \"time in UTC\"; "
        + "without one each run begins its window 12 hours earlier and ends it 14 hours later")
  }

  private mutating func noteImages(_ stream: Stream, _ records: [JSONValue]) {
    for image in stream.media {
      guard let column = stream.column(image.column) else { continue }
      let values = records.compactMap { column.value(in: $0)?.string }.filter { !$0.isEmpty }
      guard values.count >= Self.enough, !values.contains(where: Self.mayBeAddress) else {
        continue
      }
      sentences.append(
        "media: \(image.name) is \(image.column), and no value of it is a URL: "
          + values[0].shortened(to: 60))
    }
  }

  private static func mayBeAddress(_ text: String) -> Bool {
    text.holds("://") || text.hasPrefix("/")
  }
}
