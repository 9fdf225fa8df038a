internal import Glibc
internal import Model

extension SecretScreen {
  /// What stands where a server repeated the secret.
  private static let mark = Array("***".utf8)

  /// The fields as everything behind the transport may see, follow and store them.
  func clean(_ fields: HeaderFields) -> HeaderFields {
    guard !forms.isEmpty else { return fields }
    return HeaderFields(
      fields.all.map { field in
        guard let value = cleaned(Array(field.value.utf8)) else { return field }
        return HeaderField(field.name, String(decoding: value, as: UTF8.self))
      })
  }

  /// The body likewise: a next address, a token or a text that repeats the secret loses it here, so
  /// that it reaches neither another server nor a table, report or line of ours.
  func clean(_ body: [UInt8]) -> [UInt8] {
    forms.isEmpty ? body : cleaned(body) ?? body
  }

  /// Nil when there is nothing to replace, which is nearly always.
  private func cleaned(_ bytes: [UInt8]) -> [UInt8]? {
    var current = bytes
    var isChanged = false
    for form in forms {
      var kept: [UInt8] = []
      var start = 0
      while let place = Self.place(of: form, in: current, from: start) {
        kept += current[start..<place] + Self.mark
        start = place + form.count
      }
      guard start > 0 else { continue }
      isChanged = true
      current = kept + current[start...]
    }
    return isChanged ? current : nil
  }

  private static func place(of form: [UInt8], in bytes: [UInt8], from start: Int) -> Int? {
    bytes.withUnsafeBytes { all in
      guard let base = all.baseAddress, let first = form.first else { return nil }
      var at = start
      while at + form.count <= all.count,
        let found = memchr(base + at, Int32(first), all.count - form.count + 1 - at)
      {
        let place = base.distance(to: UnsafeRawPointer(found))
        if memcmp(found, form, form.count) == 0 { return place }
        at = place + 1
      }
      return nil
    }
  }

  /// The ways in which JSON and URLs write the same text; most secrets have one only.
  static func forms(of secret: [UInt8]) -> [[UInt8]] {
    // A short word may stand in any text by chance, and data is not to be changed by chance.
    guard secret.count >= 8 else { return [] }
    let encoded = Array(PercentEncoding.encoded(String(decoding: secret, as: UTF8.self)).utf8)
    let escaped = secret.flatMap { $0 == UInt8(ascii: "/") ? [UInt8(ascii: "\\"), $0] : [$0] }
    var forms = [secret]
    for form in [encoded, Self.withSmallDigits(encoded), escaped] where !forms.contains(form) {
      forms.append(form)
    }
    return forms
  }

  /// `%2f` for `%2F`.
  private static func withSmallDigits(_ encoded: [UInt8]) -> [UInt8] {
    var out = encoded
    for index in encoded.indices where encoded[index] == UInt8(ascii: "%") {
      for digit in out[(index + 1)...].indices.prefix(2) where (65...70).contains(out[digit]) {
        out[digit] |= 0x20
      }
    }
    return out
  }
}
