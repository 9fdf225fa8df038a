/// A job's texts with holes for values that the user chooses once: its server, header fields, Basic users. They are
/// filled before any request.
public struct JobTexts: Sendable, Equatable {
  /// `https://{shop}.example.com/v1`; nil: the base has no holes.
  public var base: String?
  public var fields: [QueryItem] = []
  /// In the order of the secrets; nil: no user, or none with holes.
  public var users: [Template?] = []
  /// The request for an access token, as in the file; nil: it has no holes.
  public var token: TokenRequest?
  /// Why they could not be filled yet, for the user.
  public var lack: String?
}
