internal import Base
internal import Crawl
internal import Store

/// One job's status as one JSON object: instants in UTC, names unchanged.
enum StatusJSON {
  /// - Parameter lists: the lists to show; nil: all.
  static func document(
    _ judged: JudgedJob, _ console: Console, lists: [ListOverview]? = nil
  ) -> JSONObject {
    let (job, overview) = (judged.status, judged.overview)
    // There may be thousands of lists.
    let (older, late) = (Set(job.older.map(\.number)), Set(job.late.map(\.number)))
    let maps = Dictionary(job.maps.map { ($0.list, $0) }) { one, _ in one }
    let shown = (lists ?? overview.lists).map { one in
      let (isOlder, isLate) = (older.contains(one.number), late.contains(one.number))
      return list(one, isOlder: isOlder, isLate: isLate, maps[one.number])
    }
    var object: JSONObject = [
      "job": overview.job, "origin": overview.origin, "rows": overview.rows,
      "standing": judged.standing.rawValue,
      "file": job.job?.source ?? overview.file?.path, "file_problem": job.fileProblem?.description,
      "about": job.job?.about, "terms": job.job?.terms,
      "parameters": (job.job?.parameters ?? []).map { parameter -> JSONObject in
        ["name": parameter.name, "about": parameter.about, "default": parameter.defaults]
      },
      "every_seconds": job.every.map { Int($0.inSeconds) },
      "due_at": job.dueAt?.description, "late": !job.late.isEmpty,
      "needs_person": judged.needsPerson,
      "next_steps": judged.nextSteps.map { console.advice($0.sentence) },
      "running": job.runner != nil, "process": job.runner,
      "last_run": overview.lastRun.map(run),
      "lists": shown,
      "tables": job.generations.sorted { $0.key < $1.key }.map { table -> JSONObject in
        ["table": table.key, "generation": table.value]
      },
      "due": job.due.map { due -> JSONObject in
        ["stream": due.stream, "for": due.parent, "records": due.count, "never_due": due.lack]
      },
      "quotas": job.quotas.map(quota), "rejects": overview.rejects, "misses": overview.misses,
      "images": job.pictures?.all,
      "images_here": overview.troubles[.noFiles] == nil ? job.pictures?.here : nil,
      "images_refused": job.pictures?.refusedCount,
      "images_pending": overview.imagesPending, "open_goals": overview.openGoals,
    ]
    if let holder = job.holder { object.members.append(("held_by", holder)) }
    return object
  }

  private static func run(_ run: StoredRun) -> JSONObject {
    [
      "run": run.run.name, "command": run.command, "began_at": run.beganAt.description,
      "ended_at": run.endedAt?.description, "outcome": run.outcome, "exit_code": run.exitCode,
    ]
  }

  private static func list(
    _ list: ListOverview, isOlder: Bool, isLate: Bool, _ map: CoverageMap?
  ) -> JSONObject {
    var object: JSONObject = [
      "stream": list.stream, "table": list.table, "list_number": list.number,
      "list": list.listName, "rows": list.rows, "verdict": list.verdict, "proof": list.proof,
      "cause": list.cause, "why": list.why, "as_of": list.asOf?.description,
      "complete_as_of": list.completeAsOf?.description,
      "read_from": list.readFrom?.description, "read_to": list.readTo?.description,
      "reads_since": list.completeAsOf.map { _ in list.readsSince },
      "resumes_at": list.goesOnAt?.description, "good_at": list.lastGoodEnd?.description,
      "older_mapping": isOlder, "late": isLate,
    ]
    if let map { object.members.append(("coverage", CoverageJSON.object(map))) }
    return object
  }

  private static func quota(_ quota: QuotaLedger.Left) -> JSONObject {
    [
      "quota": quota.key.name, "account": quota.key.account, "left": quota.left,
      "allowed": quota.allowed, "resets_at": quota.resetsAt?.description,
      "blocked_because": quota.blockedWhy,
      "used_by": quota.users.map { user -> JSONObject in
        ["job": user.job, "spender": user.isBackfill ? "backfill" : "run", "cost": user.cost]
      },
    ]
  }
}

/// The map as JSON: all intervals, half-open, in UTC.
enum CoverageJSON {
  static func object(_ map: CoverageMap) -> JSONObject {
    [
      "from": map.range.from.description, "to": map.range.to.description,
      "reaches_back": map.reachesBack, "share": map.share,
      "covered": map.windows(.covered),
      "unproven": map.windows(.unproven), "missing": map.missing,
      "being_filled": map.windows(.filling), "not_listed_yet": map.windows(.pending),
      "limited": map.survey.limited.map(settled),
      "out_of_reach": map.survey.outOfReach.map(settled),
    ]
  }

  private static func settled(_ stretch: SettledWindow) -> JSONObject {
    [
      "from": stretch.window.from.description, "to": stretch.window.to.description,
      "residue": stretch.residue, "why": stretch.why,
    ]
  }
}
