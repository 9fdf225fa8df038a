internal import Base
internal import Crawl
internal import Store

/// One job's status as one JSON object: instants in UTC, names as they are.
enum StatusJSON {
  static func document(_ job: JobStatus) -> [UInt8] {
    let overview = job.overview
    var writer = JSONWriter()
    writer.object { out in
      out.member("schema", JSONFormat.status.schema)
      out.member("job", overview.job)
      out.member("origin", overview.origin)
      out.member("rows", overview.rows)
      out.member("standing", JobStanding(of: job).rawValue)
      out.member("file", job.job?.source ?? overview.file?.path)
      out.member("file_problem", job.fileProblem?.sentence)
      out.member("about", job.job?.about)
      out.member("terms", job.job?.terms)
      out.array("parameters") { out in
        for parameter in job.job?.parameters ?? [] {
          out.object { out in
            out.member("name", parameter.name)
            out.member("about", parameter.about)
            out.array("default") { out in
              for value in parameter.defaults { out.string(value) }
            }
          }
        }
      }
      out.member("every_seconds", job.schedule.map { Int($0.every.inSeconds) })
      out.member("due_at", job.dueAt?.description)
      out.member("late", !job.late.isEmpty)
      out.member("needs_person", job.needsPerson)
      out.array("next_steps") { out in
        for step in job.nextSteps { out.string(step.sentence) }
      }
      out.member("running", job.runner != nil)
      out.member("process", job.runner)
      out.key("last_run")
      write(overview.lastRun, to: &out)
      let marks = Marks(job)
      out.array("lists") { out in
        for list in overview.lists { out.object { write(list, marks, to: &$0) } }
      }
      out.array("tables") { out in
        for (table, generation) in job.generations.sorted(by: { $0.key < $1.key }) {
          out.object { out in
            out.member("table", table)
            out.member("generation", generation)
          }
        }
      }
      out.array("due") { out in
        for due in job.due {
          out.object { out in
            out.member("stream", due.stream)
            out.member("for", due.parent)
            out.member("records", due.count)
          }
        }
      }
      out.array("quotas") { out in
        for quota in job.quotas { out.object { write(quota, to: &$0) } }
      }
      out.member("rejects", overview.rejects)
      out.member("misses", overview.misses)
      out.member("images_pending", overview.imagesPending)
      out.member("open_goals", overview.openGoals)
    }
    return writer.bytes
  }

  private static func write(_ run: StoredRun?, to out: inout JSONWriter) {
    guard let run else { return out.null() }
    out.object { out in
      out.member("run", run.run.name)
      out.member("command", run.command)
      out.member("began_at", run.beganAt.description)
      out.member("ended_at", run.endedAt?.description)
      out.member("outcome", run.outcome)
      out.member("exit_code", run.exitCode)
    }
  }

  /// What is known of lists by their numbers: there may be many thousands.
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

  private static func write(_ list: ListOverview, _ marks: Marks, to out: inout JSONWriter) {
    out.member("stream", list.stream)
    out.member("table", list.table)
    out.member("list_number", list.number)
    out.member("list", list.listName)
    out.member("rows", list.rows)
    out.member("verdict", list.verdict)
    out.member("proof", list.proof)
    out.member("cause", list.cause)
    out.member("why", list.why)
    out.member("as_of", list.asOf?.description)
    out.member("complete_as_of", list.completeAsOf?.description)
    out.member("reads_since", list.completeAsOf.map { _ in list.readsSince })
    out.member("resumes_at", list.goesOnAt?.description)
    out.member("good_at", list.lastGoodEnd?.description)
    out.member("older_mapping", marks.older.contains(list.number))
    out.member("late", marks.late.contains(list.number))
    if let map = marks.maps[list.number] {
      out.object("coverage") { CoverageJSON.write(map, to: &$0) }
    }
  }

  private static func write(_ quota: QuotaLeft, to out: inout JSONWriter) {
    out.member("quota", quota.name)
    out.member("account", quota.account)
    out.member("left", quota.left.left)
    out.member("allowed", quota.left.allowed)
    out.member("resets_at", quota.left.resetsAt?.description)
    out.member("blocked_because", quota.left.blockedWhy)
    out.array("used_by") { out in
      for user in quota.left.users {
        out.object { out in
          out.member("job", user.job)
          out.member("spender", user.isBackfill ? "backfill" : "run")
          out.member("cost", user.cost)
        }
      }
    }
  }
}
