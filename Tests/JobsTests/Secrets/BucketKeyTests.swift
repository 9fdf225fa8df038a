import Base
import TestSupport
import Testing

@testable import Jobs

@Suite("The key of a store of objects")
struct BucketKeyTests {
  private let scratch = ScratchFolder()

  @discardableResult
  private func write(_ text: String, to name: String) throws -> String {
    Golden.write(text, to: "\(scratch.path)/\(name)")
    return "\(scratch.path)/\(name)"
  }

  private func found(_ variables: [String: String]) -> Result<BucketKey, SecretKeepingProblem> {
    Result { () throws(SecretKeepingProblem) in
      try BucketKey.find { name in
        variables[name] ?? (name == "HOME" ? scratch.path : nil)
      }
    }
  }

  private func shown(_ variables: [String: String]) -> String {
    switch found(variables) {
    case .success(let key):
      "\(key.id) \(key.secret.reveal()) \(key.session?.reveal() ?? "-")"
    case .failure(let problem): "\(problem)"
    }
  }

  @Test("is that of the environment, with the token of one that lasts some hours")
  func environment() {
    let pair = ["AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "secret"]
    #expect(shown(pair) == "id secret -")
    #expect(shown(pair.merging(["AWS_SESSION_TOKEN": "token"]) { $1 }) == "id secret token")
  }

  @Test("is that of a profile in the shared file")
  func file() throws {
    let path = try write(
      """
      # of the team
      [default]
      aws_access_key_id = one
      aws_secret_access_key=two/with=signs

      [other]
      aws_access_key_id = three
      aws_secret_access_key = four
      aws_session_token = five
      """, to: "credentials")
    #expect(shown(["AWS_SHARED_CREDENTIALS_FILE": path]) == "one two/with=signs -")
    #expect(
      shown(["AWS_SHARED_CREDENTIALS_FILE": path, "AWS_PROFILE": "other"]) == "three four five")
    #expect(
      shown(["AWS_SHARED_CREDENTIALS_FILE": path, "AWS_PROFILE": "none"]).contains(
        "AWS_ACCESS_KEY_ID"))
  }

  @Test("is what systemd gives to a service, before all others")
  func service() throws {
    try write("given\n", to: "AWS_ACCESS_KEY_ID")
    try write("given-secret\n", to: "AWS_SECRET_ACCESS_KEY")
    let all = [
      "CREDENTIALS_DIRECTORY": scratch.path, "AWS_ACCESS_KEY_ID": "id",
      "AWS_SECRET_ACCESS_KEY": "secret",
    ]
    #expect(shown(all) == "given given-secret -")
  }

  @Test(
    "that lacks a half is told by the name of that half, and one that cannot be sent by its place")
  func halves() {
    #expect(shown(["AWS_ACCESS_KEY_ID": "id"]).contains("AWS_SECRET_ACCESS_KEY is missing"))
    #expect(shown(["AWS_SECRET_ACCESS_KEY": "s3cr3t"]).contains("AWS_ACCESS_KEY_ID is missing"))
    let odd = shown(["AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "s3cr3t\r\nX: y"])
    #expect(odd.contains("AWS_SECRET_ACCESS_KEY") && !odd.contains("s3cr3t"))
    #expect(shown([:]).contains("AWS_ACCESS_KEY_ID"))
  }
}
