internal import Base
internal import Media
internal import Store

/// What was written, as one object.
enum BackupJSON {
  static func backup(
    at path: String, _ proof: Proof, hasQuotas: Bool, _ pictures: PictureTransfer?, bytes: Int64,
    took: Duration
  ) -> [UInt8] {
    object(path, "backup", bytes, took) { out in
      out.member("holds", proof.holds)
      out.member("findings", proof.findingCount)
      out.member("rows", proof.rows)
      out.member("tables", proof.tables.count)
      out.member("pages", proof.pages)
      out.member("verdicts", proof.certificates.count)
      out.member("quotas", hasQuotas)
      guard let copies = pictures?.copies else { return }
      out.object("pictures") { out in
        out.member("present", copies.present)
        out.member("linked", copies.linked)
        out.member("copied", copies.copied)
        out.member("copied_bytes", copies.bytes)
        out.member("missing", copies.missing.count)
      }
    }
  }

  static func readers(
    at path: String, _ copy: ReadersCopy, took: Duration
  ) -> [UInt8] {
    object(path, "readers", copy.byteCount, took) { out in
      out.member("metadata", ReadersFile.metadataPath(of: path))
      out.member("rows", copy.recordRows)
      out.member("tables", copy.tables.count)
    }
  }

  private static func object(
    _ path: String, _ kind: String, _ bytes: Int64, _ took: Duration,
    _ body: (inout JSONWriter) -> Void
  ) -> [UInt8] {
    var writer = JSONWriter()
    writer.object { out in
      out.member("schema", JSONFormat.backup.schema)
      out.member("kind", kind)
      out.member("path", path)
      body(&out)
      out.member("bytes", Int(bytes))
      out.member("seconds", took.inSeconds)
    }
    return writer.bytes
  }
}
