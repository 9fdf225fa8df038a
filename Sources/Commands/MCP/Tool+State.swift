internal import Base
internal import Jobs
internal import Store

/// Tools on what is stored.
extension Tool {
  static let all: [Tool] = [lists, describe, query, search, changes, why, status]

  private static let job = ToolArgument(name: "job", kind: .text, about: "only this job")

  static let lists = Tool(
    name: "lists", title: "Lists and their verdicts",
    about:
      "Every list that is mirrored, the worst first: verdict, the proof that shows it whole or the cause why it "
      + "is not, how old that is, and how many rows it has.",
    arguments: [
      job,
      ToolArgument(
        name: "verdict", kind: .text, about: "only lists with this verdict: complete, unproven, …"),
      ToolArgument(
        name: "limit", kind: .count(most: 500, usual: 100), about: "lists that are shown at most"),
    ],
    answer: .object([
      "lists": .list(TrustWords.listShape), "verdicts": .map, "left_out": .whole,
    ])
  ) { call in
    let wanted = call.text("verdict")
    if let wanted, !TrustedList.verdicts.contains(wanted) {
      throw ExitReport(
        .usage,
        "no verdict is called \"\(wanted.shown)\""
          + Suggestion.clauseOrList(for: wanted, in: TrustedList.verdicts))
    }
    let all = try await call.using { try await $0.trustedLists(of: call.job($0)) }
    let lists = all.filter { wanted == nil || $0.verdict == wanted }
    let shown = lists.prefix(call.count("limit"))
    let words = call.words(of: ReadTrust(lists: all))
    return ToolAnswer(
      sentences: ["\(Wording.count(lists.count, "list")), \(Wording.number(shown.count)) shown."]
        + (all.isEmpty ? [] : words.sentences),
      object: [
        "lists": shown.map { TrustWords.object($0, now: call.now) },
        "verdicts": words.verdicts, "left_out": lists.count - shown.count,
      ])
  }

  static let describe = Tool(
    name: "describe", title: "Tables and columns",
    about:
      "All tables with their keys and rows, and views; or one table with its columns (type, unit, where in the "
      + "API's answer each comes from) and what leads to other tables.",
    arguments: [ToolArgument(name: "table", kind: .text, about: "one table, with its columns")],
    answer: .object([
      "tables": .list(.map), "columns": .list(.map), "links": .list(.map), "views": .list(.text),
    ])
  ) { call in
    try await call.using { store in
      let name = call.text("table")
      let parts = try await store.description(of: name)
      let tables = parts[0].rows
      if let name, tables.isEmpty {
        let known = try await store.description(of: nil)[0].rows.compactMap { $0[0].value.text }
        throw ExitReport(
          .usage,
          "no job has a table \"\(name)\"" + Suggestion.clauseOrList(for: name, in: known))
      }
      let views = name == nil ? try await store.viewNames() : []
      return ToolAnswer(
        sentences: [
          "\(Wording.count(tables.count, "table")). A row with vanished_at is gone from its lists, and stays."
        ],
        object: JSONObject(
          parts.map { ($0.name, $0.rows.map(JSONObject.init(row:))) } + [("views", views)]))
    }
  }

  static let why = Tool(
    name: "why", title: "What a row rests on",
    about:
      "Which run, request and place in the answer gave a record and its values, since when they are so, what they "
      + "were before, the verdict of each list that has it, and the file of its picture. Of a record that is not there: "
      + "which rule dropped or rejected it, or which complete list did not have it.",
    arguments: [
      ToolArgument(name: "table", kind: .text, about: "a table of records", isNeeded: true),
      ToolArgument(
        name: "key", kind: .key, about: "its key; one of several columns is a JSON list as a text",
        isNeeded: true),
      ToolArgument(name: "column", kind: .text, about: "only this value"),
    ], answer: .object(WhyAnswer.shape)
  ) { call in
    let answer = try await call.using { store in
      try await WhyAnswer.of(
        call.text("table") ?? "", call.text("key") ?? "", column: call.text("column"), store,
        call.context.environment)
    }
    let found = answer.provenance
    let words = call.words(of: found.trust)
    let standing =
      found.isThere
      ? "is there\(found.vanishedAt.map { ", gone since \($0)" } ?? "")" : "is not there"
    return ToolAnswer(
      sentences: ["\(found.table) \(found.key) \(standing)."] + [answer.absence].compactMap { $0 }
        + words.sentences,
      object: JSONObject([("trust", words.object)] + answer.json.members))
  }

  static let status = Tool(
    name: "status", title: "How jobs stand",
    about:
      "All jobs, worst first: state, last run, whether a person is needed and what to do. With a job: also each list, "
      + "quotas, what is due, coverage, parameters, and the API's terms.",
    arguments: [job],
    answer: .object([
      "jobs": .list(
        .object([
          "job": .text, "standing": .text, "rows": .whole, "late": .flag, "needs_person": .flag,
          "next_steps": .list(.text), "last_run": .anything,
        ]))
    ])
  ) { call in
    let (jobs, isOne) = try await call.using { store in
      let one = try await call.job(store)
      let stored = try await store.overview(of: one)
      let survey = JobSurvey(
        context: call.context, location: call.location, isWhole: one != nil)
      var jobs = try await survey.statuses(stored, store)
      if one == nil {
        jobs += await survey.neverRan(
          call.context.environment.library.names, beside: stored.map(\.job))
      }
      return (jobs, one != nil)
    }
    let judged = jobs.map(JudgedJob.init).worstFirst
    let documents = judged.map { job -> JSONObject in
      let lists = isOne ? StatusText.worst(job.overview.lists) : []
      var document = StatusJSON.document(job, call.context.console, lists: lists)
      document.members.append(("lists_left_out", job.overview.lists.count - lists.count))
      return document
    }
    return ToolAnswer(
      sentences: judged.map { "\($0.overview.job): \($0.standing.rawValue)" },
      object: ["jobs": documents])
  }
}
