internal import Base

/// Members of a stored report; one that is not there is empty.
extension JSONValue {
  func text(_ name: String) -> String { self[name]?.string ?? "" }
  func texts(_ name: String) -> [String] {
    self[name]?.elements.compactMap(\.string) ?? []
  }
  func number(_ name: String) -> Int { self[name]?.integer.map { Int($0) } ?? 0 }
}

extension JSONValue? {
  func text(_ name: String) -> String { self?.text(name) ?? "" }
  func texts(_ name: String) -> [String] { self?.texts(name) ?? [] }
  func number(_ name: String) -> Int { self?.number(name) ?? 0 }
  func instant(_ name: String) -> Instant? {
    self?[name]?.string.flatMap { Instant(rfc3339: $0) }
  }
}
