import TestSupport
import Testing

extension Golden {
  static func accept(
    _ text: String, equals name: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    expect(
      "Tests/CommandsTests/Golden/\(name)", equals: text, sourceLocation: sourceLocation)
  }
}
