import Base
import Jobs
import Testing

@testable import Translation

/// A short manifest, and its translation.
enum TestManifest {
  /// - Parameters:
  ///   - streams: their YAML, indented by two.
  ///   - settings: properties of the specification, indented by six.
  static func text(_ streams: String, settings: String = "", definitions: String = "") -> String {
    """
    version: "5.0"
    type: DeclarativeSource
    definitions:
      schema: &schema
        type: InlineSchemaLoader
        schema: { type: object, properties: { id: { type: integer }, name: { type: [string, "null"] } } }
    \(definitions)
    streams:
    \(streams)
    spec:
      type: Spec
      connection_specification:
        required: [api_key]
        properties:
          api_key: { type: string, airbyte_secret: true, title: "Key" }
    \(settings)
    """
  }

  /// A stream; `more` are further members of its retriever, indented by six.
  static func stream(
    _ name: String, path: String? = nil, requester: String = "", more: String = "",
    beside: String = ""
  ) -> String {
    """
      - type: DeclarativeStream
        name: \(name)
        primary_key: [id]
        schema_loader: *schema
    \(beside)
        retriever:
          type: SimpleRetriever
          requester:
            type: HttpRequester
            url_base: https://api.example.com/v1/
            path: "\(path ?? "/\(name)")"
            authenticator: { type: BearerAuthenticator, api_token: "{{ config['api_key'] }}" }
    \(requester)
          record_selector:
            type: RecordSelector
            extractor: { type: DpathExtractor, field_path: [data] }
    \(more)
    """ + "\n"
  }

  /// For `more` of a stream: it is requested for each record of the stream with this index.
  static func each(
    of parent: Int, as field: String, key: String = "id", more: String = ""
  ) -> String {
    """
          partition_router:
            type: SubstreamPartitionRouter
            parent_stream_configs:
              - { type: ParentStreamConfig, parent_key: \(key), partition_field: \(field)\(more), stream: { $ref: "#/streams/\(parent)" } }
    """
  }

  /// A window that begins at the date in the settings, for `beside` of a stream.
  /// - Parameter start: where the request has its start; nil: nowhere.
  static func cursor(_ field: String, start: String? = nil) -> String {
    """
        incremental_sync:
          type: DatetimeBasedCursor
          cursor_field: \(field)
          datetime_format: "%s"
          start_datetime: { type: MinMaxDatetime, datetime: "{{ config['start_date'] }}" }
    """ + (start.map { "\n      start_time_option: { type: RequestOption, \($0) }" } ?? "")
  }

  static func translated(
    of streams: String, settings: String = "", definitions: String = ""
  ) throws -> ManifestJob {
    try translated(text(streams, settings: settings, definitions: definitions))
  }

  static func job(
    of streams: String, settings: String = "", definitions: String = ""
  ) throws -> (ManifestJob, Job) {
    try job(text(streams, settings: settings, definitions: definitions))
  }

  static func translated(_ text: String) throws -> ManifestJob {
    try ManifestJob.of(
      try YAMLReader.read(Array(text.utf8)), jobName: "mine", title: "manifest.yaml",
      date: "2026-01-02")
  }

  static func job(_ text: String) throws -> (ManifestJob, Job) {
    let translated = try translated(text)
    do {
      return (translated, try JobFile.read(Array(translated.text.utf8), file: "mine.json5"))
    } catch {
      Issue.record("\(error)\n\(translated.text)")
      throw error
    }
  }
}
