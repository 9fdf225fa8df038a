public import Base

extension RecordStore {
  /// Images with their records' titles, if the job names a column for it; the others keep their
  /// names.
  public func titled(
    _ samples: [ImageSample], of job: String
  ) throws(StoreError) -> [ImageSample] {
    var columns: [String: (title: String, key: [String])] = [:]
    for plan in plans.values where plan.job.utf8.elementsEqual(job.utf8) {
      guard let title = plan.stream.roles["title"], plan.table.column(title) != nil else {
        continue
      }
      columns[plan.table.name] = (title, plan.table.key)
    }
    return try guarded { () throws(SQLiteError) in
      var named: [ImageSample] = []
      for sample in samples {
        // A table and a key; a table's name has no blank.
        let parts = sample.title.split(separator: " ", maxSplits: 1).map(String.init)
        guard parts.count == 2, let column = columns[parts[0]] else {
          named.append(sample)
          continue
        }
        let titles = try connection.rows(
          "SELECT t.\(SQLName.quoted(column.title)) FROM \(SQLName.quoted(parts[0])) t "
            + "WHERE \(ViewDesign.keyText(column.key)) = ? LIMIT 1", [.text(parts[1])]
        ) { $0.text(0) }
        named.append(
          ImageSample(path: sample.path, title: titles.first.flatMap { $0 } ?? sample.title))
      }
      return named
    }
  }
}
