@testable import Base
import TestSupport
import Testing

@Suite("A number")
struct NumberTests {
  @Test(
    "is exact or nothing as an integer, however it is written",
    arguments: [
      ("0", 0), ("-0", 0), ("7", 7), ("7.0", 7), ("-7.00", -7), ("6.0E7", 60_000_000),
      ("1e18", 1_000_000_000_000_000_000), ("1.25e2", 125), ("12.50e1", 125), ("1e2", 100),
      ("100e-2", 1), ("1200e-2", 12), ("0e999999999999", 0), ("0.000e-999", 0),
      ("9007199254740993", 9_007_199_254_740_993), ("9007199254740993.0", 9_007_199_254_740_993),
      ("9223372036854775807", .max), ("9223372036854775807.0", .max),
      ("-9223372036854775808", .min), ("-9.223372036854775808e18", .min),
      ("7.5", nil), ("1e-1", nil), ("9223372036854775808", nil), ("1e19", nil),
      ("9223372036854775807.5", nil), ("-9223372036854775809", nil), ("1e400", nil),
      ("18446744073709551616", nil), ("1e-400", nil), ("0.1e400", nil),
      ("1e99999999999999999999999999", nil), ("12e-1", nil), ("100e-3", nil),
      ("10000000000000000000e-18", 10), ("0.000000000000000000001e21", 1),
    ] as [(String, Int64?)])
  func integer(text: String, value: Int64?) throws {
    let number = try document(text).root
    #expect(number.integer == value)
    #expect(number.rawNumber == text)
    if let value { #expect(number.unsigned == UInt64(exactly: value)) }
  }

  @Test(
    "beyond a signed integer may be an unsigned one",
    arguments: [
      ("9223372036854775808", 1 << 63), ("18446744073709551615", .max),
      ("18446744073709551615.0", .max), ("1.8446744073709551615e19", .max), ("-0.0", 0),
      ("18446744073709551616", nil), ("-1", nil), ("-1.0", nil), ("2e19", nil),
    ] as [(String, UInt64?)])
  func unsigned(text: String, value: UInt64?) throws {
    #expect(try document(text).root.unsigned == value)
  }

  @Test(
    "is the nearest double, and none beyond the range",
    arguments: [
      ("1", 1), ("0.1", 0.1), ("-2.5e-3", -0.0025), ("1e-400", 0), ("1e308", 1e308),
      ("18446744073709551615", 18_446_744_073_709_551_616),
      ("18446744073709551616", 18_446_744_073_709_551_616),
      ("-9223372036854775809", -9_223_372_036_854_775_808), ("1e400", nil), ("-1e400", nil),
      ("9007199254740993", 9_007_199_254_740_992), ("1.7976931348623159e308", nil),
      ("1.7976931348623157e308", .greatestFiniteMagnitude),
    ] as [(String, Double?)])
  func real(text: String, value: Double?) throws {
    #expect(try document(text).root.real == value)
    #expect(try JSONDocument.readTolerantly(Array(text.utf8)).root.real == value)
  }

  @Test("keeps the sign of minus zero in its text and as a double")
  func minusZero() throws {
    let root = try document("[-0,-0.0]").root
    #expect(root.elements.map(\.rawNumber) == ["-0", "-0.0"])
    #expect(root[1]?.real?.sign == .minus)
  }

  @Test("100,000 random ones keep their text, and their value to the last bit")
  func roundTrip() throws {
    var random = SeededRandom(seed: 4)
    for _ in 0..<100 {
      let texts = (0..<1_000).map { _ in RandomDocument.number(using: &random) }
      let root = try document("[" + texts.joined(separator: ", ") + "]").root
      #expect(!root.document.isReadTolerantly)
      var wrong: [String] = []
      for (text, value) in zip(texts, root.elements) where !Self.isKept(text, value) {
        wrong.append(text)
      }
      #expect(wrong.isEmpty)
      #expect(root.count == 1_000)
    }
  }

  private static func isKept(_ text: String, _ value: JSONValue) -> Bool {
    guard value.rawNumber == text else { return false }
    if let integer = Int64(text) { return value.integer == integer && value.kind == .integer }
    if let unsigned = UInt64(text) { return value.unsigned == unsigned && value.kind == .integer }
    return value.kind == .real && value.real?.bitPattern == Double(text)?.bitPattern
  }

  @Test("a thousand digits are kept")
  func long() throws {
    let digits = String(repeating: "1234567890", count: 100)
    let root = try document("[\(digits),-\(digits),0.\(digits),\(digits)e-990]").root
    #expect(root.elements.map(\.kind) == [.hugeNumber, .hugeNumber, .real, .real])
    #expect(
      root.elements.map(\.rawNumber) == [digits, "-" + digits, "0." + digits, digits + "e-990"])
    #expect(root[3]?.real == 1234567890.1234567)
    #expect(root.elements.map(\.integer) == [nil, nil, nil, nil])
  }
}
