import Base
import Testing
import Walk

@Suite("What an answer says of how it went")
struct PlainNewsTests {
  private static func signs(_ member: String, unread: [[String]] = []) throws -> [String] {
    try FakeJob.signs("{\"items\":[1],\(member)}") { $0.unread = unread }
  }

  @Test(
    "is a part where a machine that holds some of its records did not answer, unless the job knows it",
    arguments: [
      (
        #""_shards":{"total":5,"successful":4,"skipped":0,"failed":1,"failures":[{"shard":2}]}"#,
        "_shards", "failed"
      ),
      (#""_shards":{"total":9,"successful":2,"failed":7}"#, "_shards", "failed"),
      (#""_clusters":{"total":2,"successful":1,"partial":1}"#, "_clusters", "partial"),
      (#""_clusters":{"total":2,"successful":1,"skipped":1}"#, "_clusters", "skipped"),
    ])
  func lostParts(member: String, tally: String, count: String) throws {
    #expect(try Self.signs(member) == ["\(tally).\(count) part"])
    #expect(try Self.signs(member, unread: [[tally, count]]) == [])
  }

  @Test(
    "is bad news in plain words",
    arguments: [
      #""success":0"#, #""ok":0"#, #""successful":false"#, #""isError":true"#,
      #""status":"OVER_QUERY_LIMIT""#, #""status":"REQUEST_DENIED""#, #""code":"rate_limited""#,
      #""code":"rateLimitExceeded""#, #""statusCode":"PartialData""#, #""status":"Server Error""#,
      #""error_code":"TOO_MANY_REQUESTS""#,
    ])
  func bad(member: String) throws {
    let name = member.split(separator: "\"")[0]
    #expect(try Self.signs(member) == ["\(name) notice"])
  }

  @Test(
    "is nothing where all went well, or it is about the things themselves",
    arguments: [
      #""_shards":{"total":5,"successful":5,"skipped":3,"failed":0}"#,
      #""_clusters":{"total":2,"successful":2,"skipped":0,"partial":0,"failed":0}"#,
      #""clusters":{"running":4,"failed":1}"#, #""took":3,"timed_out":false"#, #""success":1"#,
      #""ok":1"#, #""succeeded":0"#, #""successful":true"#, #""successful":5"#,
      #""isError":false"#, #""isError":"false""#, #""error":"false""#, #""status":"ok""#,
      #""status":"active""#, #""status":"delimited""#, #""status":"unlimited""#,
      #""status":"partial""#, #""status":"denied""#, #""status":"ZERO_RESULTS""#, #""code":200"#,
      #""code":"A1""#, #""errors":[]"#, #""failures":0"#, #""failures":["a test"]"#,
      #""exception":null"#, #""exception":"holidays""#, #""limit":20"#,
      #""id":7,"successful":false"#, #""id":7,"code":"rate_limited""#,
    ])
  func silent(member: String) throws {
    #expect(try Self.signs(member) == [])
  }
}
