extension JSONPath {
  /// The path's segments as texts: keys and positions as they are, `*` for every element.
  public var steps: [String] {
    segments.map { segment in
      switch segment {
      case .key(let bytes), .number(_, let bytes): String(decoding: bytes, as: UTF8.self)
      case .every: "*"
      }
    }
  }
}
