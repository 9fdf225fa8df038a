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
    let marks = Marks(job)
    return [
      "job": overview.job, "origin": overview.origin, "rows": overview.rows,
      "standing": judged.standing.rawValue,
      "file": job.job?.source ?? overview.file?.path, "file_problem": job.fileProblem?.sentence,
      "about": job.job?.about, "terms": job.job?.terms,
      "parameters": (job.job?.parameters ?? []).map { parameter -> JSONObject in
        ["name": parameter.name, "about": parameter.about, "default": parameter.defaults]
      },
      "every_seconds": job.schedule.map { Int($0.every.inSeconds) },
      "due_at": job.dueAt?.description, "late": !job.late.isEmpty,
      "needs_person": judged.needsPerson,
      "next_steps": judged.nextSteps.map { console.advice($0.sentence) },
      "running": job.runner != nil, "process": job.runner,
      "last_run": overview.lastRun.map(run),
      "lists": (lists ?? overview.lists).map { list($0, marks) },
      "tables": job.generations.sorted { $0.key < $1.key }.map { table -> JSONObject in
        ["table": table.key, "generation": table.value]
      },
      "due": job.due.map { due -> JSONObject in
        ["stream": due.stream, "for": due.parent, "records": due.count, "never_due": due.lack]
      },
      "quotas": job.quotas.map(quota), "rejects": overview.rejects, "misses": overview.misses,
      "images_pending": overview.imagesPending, "open_goals": overview.openGoals,
    ]
  }

  private static func run(_ run: StoredRun) -> JSONObject {
    [
      "run": run.run.name, "command": run.command, "began_at": run.beganAt.description,
      "ended_at": run.endedAt?.description, "outcome": run.outcome, "exit_code": run.exitCode,
    ]
  }

  /// Facts of lists by number: there may be thousands.
  private struct Marks {
    let older: Set<Int64>
    let late: Set<Int64>
    let maps: [Int64: CoverageMap]

    init(_ job: JobStatus) {
      older = Set(job.older.map(\.number))
      late = Set(job.late.map(\.number))
      maps = Dictionary(job.maps.map { ($0.list, $0) }) { one, _ in one }
    }
  }

  private static func list(_ list: ListOverview, _ marks: Marks) -> JSONObject {
    var object: JSONObject = [
      "stream": list.stream, "table": list.table, "list_number": list.number,
      "list": list.listName, "rows": list.rows, "verdict": list.verdict, "proof": list.proof,
      "cause": list.cause, "why": list.why, "as_of": list.asOf?.description,
      "complete_as_of": list.completeAsOf?.description,
      "read_from": list.readFrom?.description, "read_to": list.readTo?.description,
      "reads_since": list.completeAsOf.map { _ in list.readsSince },
      "resumes_at": list.goesOnAt?.description, "good_at": list.lastGoodEnd?.description,
      "older_mapping": marks.older.contains(list.number), "late": marks.late.contains(list.number),
    ]
    if let map = marks.maps[list.number] {
      object.members.append(("coverage", CoverageJSON.object(map)))
    }
    return object
  }

  private static func quota(_ quota: QuotaLeft) -> JSONObject {
    [
      "quota": quota.name, "account": quota.account, "left": quota.left.left,
      "allowed": quota.left.allowed, "resets_at": quota.left.resetsAt?.description,
      "blocked_because": quota.left.blockedWhy,
      "used_by": quota.left.users.map { user -> JSONObject in
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
