internal import Base
internal import Media
internal import Store

/// What was written, as one object.
enum BackupJSON {
  static func backup(
    at path: String, _ proof: Proof, hasQuotas: Bool, _ pictures: PictureTransfer?, bytes: Int64,
    took: Duration
  ) -> JSONObject {
    var object: JSONObject = [
      "kind": "backup", "path": path, "holds": proof.holds, "findings": proof.findingCount,
      "rows": proof.rows, "tables": proof.tables.count, "pages": proof.pages,
      "verdicts": proof.certificates.count, "quotas": hasQuotas, "bytes": bytes,
      "seconds": took.inSeconds,
    ]
    if let copies = pictures?.copies {
      let pictures: JSONObject = [
        "present": copies.present, "linked": copies.linked, "copied": copies.copied,
        "copied_bytes": copies.bytes, "missing": copies.missing.count,
      ]
      object.members.append(("pictures", pictures))
    }
    return object
  }

  static func readers(at path: String, _ copy: ReadersCopy, took: Duration) -> JSONObject {
    [
      "kind": "readers", "path": path, "metadata": ReadersFile.metadataPath(of: path),
      "rows": copy.recordRows, "tables": copy.tables.count, "bytes": copy.byteCount,
      "seconds": took.inSeconds,
    ]
  }
}
