internal import Base

/// Counts the keys of every stored page again.
struct PageProof {
  let connection: Connection

  func prove(_ choice: ProofChoice, _ proof: inout Proof) throws {
    try connection.each(
      "SELECT p.page, p.address, p.received, p.new + p.changed + p.unchanged + p.repeated "
        + "+ p.dropped + p.rejected, p.keys, p.address_digest, l.job, l.stream, p.purpose "
        + "FROM trawl_pages p LEFT JOIN trawl_windows u ON u.window = p.window "
        + "LEFT JOIN trawl_lists l ON l.list_number = u.list_number"
    ) { rows in
      guard choice.takes(job: rows.text(6) ?? "", stream: rows.text(7) ?? "") else { return }
      proof.pages += 1
      let keys = rows.withBytes(4) { ($0?.count ?? 0) / 8 }
      let address = rows.text(1) ?? ""
      let label = "\(rows.integer(0)) (\(address))"
      if rows.int(2) != rows.int(3) { proof.add("trawl_pages", label, "its counts do not add up") }
      // A look has keys but no records.
      let isLook = Step.Purpose(rawValue: rows.text(8) ?? "")?.isLook ?? false
      if keys != rows.int(2), !isLook {
        proof.add("trawl_pages", label, "it holds \(keys) keys for \(rows.int(2)) records")
      }
      if Digest64.of(address.utf8) != rows.bits(5) {
        proof.add("trawl_pages", label, "its address does not give its digest")
      }
    }
  }
}
