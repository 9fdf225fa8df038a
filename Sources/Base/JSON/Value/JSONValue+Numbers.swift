extension JSONValue {
  /// The number if it is whole and fits, however it is written: `7`, `7.0` and `6.0E7` do, `7.5` and 2^63 do not.
  /// Exact: nothing goes through `Double`.
  public var integer: Int64? {
    withTape { tape in
      switch tape.tag(index) {
      case Tape.Tag.signed: Int64(bitPattern: tape.words[index + 1])
      case Tape.Tag.double, Tape.Tag.huge: WholeNumber(tape.number(index))?.signed
      default: nil
      }
    }
  }

  /// As `integer`, for numbers from 0 to 2^64 - 1.
  public var unsigned: UInt64? {
    withTape { tape in
      switch tape.tag(index) {
      case Tape.Tag.signed: UInt64(exactly: Int64(bitPattern: tape.words[index + 1]))
      case Tape.Tag.unsigned: tape.words[index + 1]
      case Tape.Tag.double, Tape.Tag.huge: WholeNumber(tape.number(index))?.unsigned
      default: nil
      }
    }
  }

  /// The nearest `Double` of any number; nil for other kinds and beyond the range (1e400).
  public var real: Double? {
    withTape { tape in
      let word = tape.words[index + 1]
      switch tape.tag(index) {
      case Tape.Tag.signed: return Double(Int64(bitPattern: word))
      case Tape.Tag.unsigned: return Double(word)
      case Tape.Tag.double: return Double(bitPattern: word)
      case Tape.Tag.huge:
        let nearest = Double(bitPattern: word)
        return nearest.isFinite ? nearest : nil
      default: return nil
      }
    }
  }

  /// The number as it was written, "1.0", "-0" and "6.0E7" included; nil for other kinds.
  public var rawNumber: String? { withRawNumber { String(decoding: $0, as: UTF8.self) } }

  /// Lends the number as it was written; nil for other kinds.
  public func withRawNumber<Result, Failure: Error>(
    _ body: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result? {
    try withTape { tape throws(Failure) in
      JSONValue.isNumber(tape.tag(index)) ? try body(tape.number(index)) : nil
    }
  }
}
