/// The forms of JSON that commands write for scripts. Each object and line begins with `schema`, the
/// version of its form: it is raised when a member goes or changes its meaning. New members may come
/// at any time. A stored report has a number of its own, as it is read again by later versions.
enum JSONFormat: String, CaseIterable {
  case progress, status, check, plan, page = "try", proof, search, favorite, changes, backup
  case mediaVerify, mediaCollect, mediaPath

  /// All of them are at their first.
  var schema: Int { 1 }
}
