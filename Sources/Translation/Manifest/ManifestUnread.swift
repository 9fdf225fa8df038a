internal import Base

/// What a manifest says and no reader here looks up: it may matter, so it is reported.
extension YAMLNode {
  /// A copy that records which members are read.
  var counted: YAMLNode { YAMLNode(content, line: line, isCounted: true) }

  /// Only what its author wrote here, without inherited parameters.
  var own: YAMLNode {
    switch content {
    case .scalar: self
    case .list(let entries): YAMLNode(.list(entries.map(\.own)), line: line)
    case .map(let members):
      YAMLNode(
        .map(
          members.filter { $0.value.isRead != nil && $0.key != "description" }
            .map { .init($0.key, $0.value.own) }
            .sorted { $0.key < $1.key }), line: line)
    }
  }

  /// Marks everything in it as read: it is covered elsewhere, or irrelevant.
  func settle() {
    for inner in members?.map(\.value) ?? entries ?? [] { inner.settle() }
  }

  private static let unreadMax = 50

  /// Members that nobody read, and how many more there are.
  func unknown(_ path: String = "") -> [String] {
    let unread = unread(path)
    let more = unread.count - Self.unreadMax
    // cut: the rest is counted
    return unread.prefix(Self.unreadMax).map { "unknown here: \($0)" }
      + (more > 0 ? ["unknown here: \(more) members more"] : [])
  }

  /// A sentence for each unread member; nothing below it is listed again.
  private func unread(_ path: String) -> [String] {
    switch content {
    case .scalar: return []
    case .list(let entries): return entries.flatMap { $0.unread(path) }
    case .map(let members):
      let type = self["type"]?.text ?? ""
      guard type.isEmpty || Self.types.contains(type) else {
        return ["\(path.harmless(upTo: 200)) of type \(type.shown), in line \(line)"]
      }
      return members.flatMap { member -> [String] in
        guard let isRead = member.value.isRead, !Self.indifferent.contains(member.key),
          !member.value.isNothing
        else { return [] }
        let place = path.isEmpty ? member.key : "\(path).\(member.key)"
        if isRead.withLock({ $0 }) {
          return Self.data.contains(member.key) ? [] : member.value.unread(place)
        }
        return ["\(place.harmless(upTo: 200)), in line \(member.value.line)"]
      }
    }
  }

  private var isNothing: Bool {
    switch content {
    case .scalar(let text, _): isNull || text.isEmpty
    case .list(let entries): entries.isEmpty
    case .map(let members): members.isEmpty
    }
  }

  /// Members that change neither a request nor a record: how a run is split, retried, remembered and shown; and members
  /// translated elsewhere.
  static let indifferent: Set = [
    "type", "$parameters", "description", "name", "schema_loader", "state_migrations",
    "authenticator",
    "stream", "step", "cursor_granularity", "cursor_datetime_formats", "is_data_feed",
    "is_client_side_incremental", "is_compare_strictly", "global_substream_cursor",
    "partition_field_start", "partition_field_end", "incremental_dependency", "use_cache",
    "max_retries", "backoff_strategies", "error_message", "failure_type", "url_base",
    "token_expiry_date", "token_expiry_date_format",
  ]

  /// Members whose readers use all of them, or refuse the stream.
  private static let data: Set = [
    "request_parameters", "request_headers", "request_body_json", "request_body_data", "value",
    "refresh_request_body",
  ]

  /// Component types with a reader.
  private static let types: Set = [
    "DeclarativeStream", "SimpleRetriever", "HttpRequester", "RecordSelector", "DpathExtractor",
    "RecordFilter", "JsonDecoder", "DefaultPaginator", "NoPagination", "PageIncrement",
    "OffsetIncrement", "CursorPagination", "RequestOption", "RequestPath", "DatetimeBasedCursor",
    "MinMaxDatetime", "ListPartitionRouter", "SubstreamPartitionRouter", "ParentStreamConfig",
    "AddFields", "AddedFieldDefinition", "RemoveFields", "DefaultErrorHandler",
    "CompositeErrorHandler", "HttpResponseFilter", "RequestBodyJsonObject", "RequestBodyGraphQL",
    "RequestBodyUrlEncodedForm", "NoAuth", "ApiKeyAuthenticator", "BearerAuthenticator",
    "BasicHttpAuthenticator", "SelectiveAuthenticator", "OAuthAuthenticator", "Bearer", "ApiKey",
    "SessionTokenAuthenticator",
  ]
}
