/// What a job says with holes for values that a person chooses once: its server, header fields, the users
/// of Basic. Filled before anything is requested.
public struct JobTexts: Sendable, Equatable {
  /// `https://{shop}.example.com/v1`; nil: the base has no holes.
  public var base: String?
  public var fields: [QueryItem] = []
  /// In the order of the secrets; nil: none, or none with holes.
  public var users: [Template?] = []
  /// The request of an access token, as the file has it; nil: nothing of it is a person's value.
  public var token: TokenRequest?
  /// Why they could not be filled yet, for a person.
  public var lack: String?
}
