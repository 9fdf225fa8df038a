@testable import Base
@testable import Translation
import Testing

@Suite("What a manifest requests for the records of another stream, the job does, too")
struct ManifestParentTests {
  private static let boards =
    TestManifest.stream("teams")
    + TestManifest.stream(
      "boards", path: "teams/{{ stream_partition.team }}/boards",
      more: TestManifest.each(of: 0, as: "team"))

  @Test("A parent's values, and those of its parent, fill the request")
  func parents() throws {
    let (translated, job) = try TestManifest.job(
      of: Self.boards
        + TestManifest.stream(
          "cards",
          path:
            "teams/{{ stream_slice.parent_slice.team }}/boards/{{ stream_slice['board'] }}/cards",
          more: TestManifest.each(of: 1, as: "board")))
    #expect(translated.isWhole, "\(translated.missing)")
    let cards = try #require(job.streams.last)
    #expect(cards.parent?.stream == "boards" && cards.parent?.when == .all)
    #expect(cards.path.holes == ["team", "id"] && cards.parent?.carries == ["team"])
    #expect(job.streams.allSatisfy { $0.isSearch })
  }

  @Test("Parents that are written as a product are asked for what belongs together, if they can be")
  func product() throws {
    func found(_ key: String) throws -> ManifestJob {
      let configs = [("id", "board", 1), (key, "team", 0)].map {
        "{ type: SubstreamPartitionRouter, parent_stream_configs: [{ parent_key: \($0), partition_field: \($1), stream: { $ref: \"#/streams/\($2)\" } }] }"
      }
      return try TestManifest.translated(
        of: Self.boards
          + TestManifest.stream(
            "cards",
            path:
              "teams/{{ stream_partition.team }}/boards/{{ stream_partition.board }}/cards",
            more: "      partition_router: [\(configs.joined(separator: ", "))]"))
    }
    let whole = try found("id")
    #expect(whole.isWhole, "\(whole.missing)")
    #expect(whole.text.contains("get: \"/teams/{team}/boards/{id}/cards\""), "\(whole.text)")
    #expect(whole.text.contains("for: { each: \"boards.id\""))
    #expect(whole.text.contains("team: \"{id}\""))
    // Boards are not requested by that member of a team.
    let other = try found("name")
    #expect(other.missing.map(\.reason) == ["partitions: a product of two streams"])
  }

  @Test("A member of the parent's key is a column of its own")
  func memberOfKey() throws {
    let (found, job) = try TestManifest.job(
      of: TestManifest.stream("teams")
        + TestManifest.stream(
          "boards", path: "of/{{ stream_partition.owner.login }}/boards",
          more: TestManifest.each(of: 0, as: "owner", key: "owner")))
    #expect(found.isWhole && job.streams[1].parent?.column == "owner_login", "\(found.text)")
    #expect(found.text.contains("owner_login: \"owner.login\""))
  }

  @Test("An end of a time that is always now is read whole for each parent")
  func endAlone() throws {
    let cursor = """
          incremental_sync:
            type: DatetimeBasedCursor
            cursor_field: updated
            datetime_format: "%Y-%m-%d"
            end_datetime: "{{ now_utc().strftime('%Y-%m-%d') }}"
            end_time_option: { inject_into: request_parameter, field_name: until }
      """
    let router = TestManifest.each(of: 0, as: "thing")
    let (found, job) = try TestManifest.job(
      of: TestManifest.stream("things")
        + TestManifest.stream(
          "parts", path: "things/{{ stream_partition.thing }}/parts", more: router, beside: cursor))
    #expect(found.isWhole && job.streams[1].window == nil, "\(found.missing)")
    #expect(found.text.contains("the end of a time alone"), "\(found.text)")
  }
}
