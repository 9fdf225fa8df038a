internal import Base

/// An address under a job's base, with its holes filled.
enum RequestHoles {
  static func address(
    _ path: Template, _ query: [QueryItem], in job: Job, slashes: Set<String> = [],
    _ value: (String) -> String?
  ) throws(StepProblem) -> WebAddress {
    var address = try behindBase(fillPath(path, slashes, value), of: path, in: job)
    for item in query {
      guard let text = item.value.filled(value) else {
        throw StepProblem(
          "the query parameter \"\(item.name)\" is \"\(item.value)\", and a value in it is missing")
      }
      if text.isEmpty && item.isLeftOutIfEmpty { continue }
      address = address.adding(item.name, text)
    }
    return address
  }

  /// A value is one path segment, or a part of one: slashes in it are escaped, unless the job keeps them. Then each of
  /// its parts is a segment, and none is empty.
  private static func fillPath(
    _ template: Template, _ slashes: Set<String>, _ value: (String) -> String?
  ) throws(StepProblem) -> String {
    for name in template.holes {
      guard let text = value(name) else { continue }
      if text.isEmpty {
        throw StepProblem("\"\(name)\" is empty, and it is a part of the path \(template)")
      }
      if slashes.contains(name), parts(text).contains(where: \.isEmpty) {
        throw StepProblem(
          "\"\(text)\" cannot be a value of \"\(name)\": between slashes, before the first and behind the "
            + "last there is something")
      }
    }
    func encoded(_ name: String) -> String? {
      guard let text = value(name) else { return nil }
      guard slashes.contains(name) else { return PercentEncoding.encodedSegment(text) }
      return parts(text).map(PercentEncoding.encodedSegment).joined(separator: "/")
    }
    guard let path = template.filled(encoded) else {
      throw StepProblem("the path is \"\(template)\", and a value in it is missing")
    }
    return path
  }

  private static func parts(_ text: String) -> [String] {
    text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
  }

  private static func behindBase(
    _ path: String, of template: Template, in job: Job
  ) throws(StepProblem) -> WebAddress {
    let base = job.base.path.hasSuffix("/") ? String(job.base.path.dropLast()) : job.base.path
    let joined = path.isEmpty || path.hasPrefix("/") ? base + path : "\(base)/\(path)"
    let address = WebAddress(origin: job.base.origin, target: joined)
    // Two dots take at most six bytes, however escaped.
    for segment in address.path.utf8.split(separator: UInt8(ascii: "/")).map(Substring.init)
    where segment.utf8.count <= 6 {
      let plain = PercentEncoding.decoded(segment)
      // Servers resolve these even when escaped, which would request another list.
      if plain == Array(".".utf8) || plain == Array("..".utf8) {
        throw StepProblem(
          "\"\(String(decoding: plain, as: UTF8.self))\" can be no part of the path \(template)")
      }
    }
    return address
  }
}
