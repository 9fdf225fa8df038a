/// Words of other programs for things with another name here. They are not aliases: they only lead to the right word.
enum Synonyms {
  private static let table: [(words: [String], meant: [String])] = [
    // Commands.
    (["list", "ls", "show", "info"], ["status", "about"]),
    (["sync", "fetch", "pull", "update", "start", "crawl"], ["run"]),
    (["init", "create", "add", "draft", "generate"], ["new"]),
    (["query", "select", "db", "shell"], ["sql"]),
    (["verify", "validate", "lint", "doctor", "test"], ["check"]),
    (["preview", "sample"], ["try"]),
    (["find", "grep"], ["search"]),
    (["login", "auth", "token", "secret"], ["key"]),
    (["star", "like", "favourite", "bookmark"], ["favorite"]),
    (["diff", "changes", "log", "history"], ["report"]),
    // Keys of a job file.
    (["images", "image", "pictures", "picture", "photos", "files"], ["media"]),
    (["url", "uri", "path", "endpoint", "route"], ["get", "base", "at"]),
    (["host", "server", "base_url", "baseUrl", "root"], ["base"]),
    (["schedule", "cron", "interval", "timer"], ["every"]),
    (["pagination", "paging", "paginator"], ["pages"]),
    (["cursor", "keyset"], ["token"]),
    (["page"], ["number"]),
    (["fields", "schema", "properties", "mapping"], ["columns"]),
    (["rows", "results", "data", "data_selector", "record_path", "list_path"], ["records"]),
    (["id", "primary_key", "primaryKey", "unique"], ["key"]),
    (["table", "table_name", "target", "destination"], ["into", "table"]),
    (["limits", "rate_limit", "rateLimit", "limit", "throttle"], ["quotas", "cap", "size"]),
    (["parameters", "variables", "inputs"], ["params"]),
    (["authentication", "credentials", "apiKey", "api_key", "authorization"], ["auth"]),
    (["resources", "endpoints", "lists", "tables"], ["streams"]),
    (["parent", "depends_on", "foreach", "for_each"], ["for"]),
    (["nested", "child", "sublists"], ["children"]),
    (["filter", "where", "include"], ["keep"]),
    (["sort", "sorted", "order_by", "orderBy"], ["order"]),
  ]

  /// The known word for a word of another program; the first of several.
  static func meant(by word: String, in known: [String]) -> String? {
    table.lazy.filter { $0.words.contains(word) }.flatMap(\.meant).first(where: known.contains)
  }
}
