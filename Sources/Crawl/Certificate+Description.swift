internal import Base

extension Certificate {
  /// How a walk ended, in one sentence for the story.
  func description(of list: String) -> String {
    let received = counts.received
    var text =
      "\(list): \(why); \(claim)\(proof.map { " (\($0.rawValue))" } ?? ""); "
    text += Wording.count(received, "record") + " received"
    if counts.new > 0, received > 1 {
      text += counts.new == received ? ", all new" : ", \(counts.new) of them new"
    }
    if let goesOnAt { text += "; it resumes at \(goesOnAt)" }
    return text + "."
  }
}
