// Names that Model needs before the module is written: delete this file when the real types land.
public struct JSONPath: Hashable, Sendable {}
public struct JSONValue: Sendable {}
public final class JSONDocument: Sendable {}
