internal import Base

/// The values that fill a stream's holes, checked against the job's patterns.
struct UnitValues {
  private let unit: Unit
  private let ends: WindowText?

  init(job: Job, stream: Stream, unit: Unit) throws(StepProblem) {
    self.unit = unit
    ends = unit.window.map { WindowText($0, rule: stream.window) }
    for name in stream.holes {
      guard let value = self[name] else {
        throw StepProblem(
          "\"\(name)\" has no value, and \(job.name) \(stream.name) cannot be requested without one: "
            + "add --set \(name)=VALUE")
      }
      // A parent's value comes from the API itself and may be a batch.
      guard name != stream.parent?.hole, let parameter = job.parameter(name),
        let pattern = parameter.pattern
      else { continue }
      guard (try? Pattern(pattern))?.matches(value) == true else {  // a bad pattern fits nothing
        throw StepProblem("\"\(value)\" cannot be a value of \"\(name)\": \(parameter.fitting)")
      }
    }
  }

  /// A value of the unit or of its window.
  private subscript(name: String) -> String? {
    if let value = unit.value(name) { return value }
    switch name {
    case "from": return ends?.from
    case "to": return ends?.to
    default: return nil
    }
  }

  /// The path and query, filled.
  func address(of stream: Stream, in job: Job) throws(StepProblem) -> WebAddress {
    try RequestHoles.address(stream.path, stream.query, in: job, slashes: stream.slashes) {
      self[$0]
    }
  }

  /// A header field; refuses values that no field can carry, which a parent's may be.
  func field(_ item: QueryItem) throws(StepProblem) -> HeaderField {
    guard let value = item.value.filled({ self[$0] }) else {
      throw StepProblem(
        "the header \(item.name) holds \"\(item.value)\", and a value in it is missing")
    }
    guard value.utf8.count <= 1_000, value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
      throw StepProblem("the header \(item.name) cannot hold \"\(value.shown)\"")
    }
    return HeaderField(item.name, value)
  }

  func body(_ template: BodyTemplate) throws(StepProblem) -> FilledBody {
    try FilledBody(template) { self[$0] }
  }
}
