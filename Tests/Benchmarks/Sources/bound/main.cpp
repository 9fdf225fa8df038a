// `bound URL DATABASE FLIGHTS [newest]`: the least that a mirror of the bench's list has to do, and nothing else.
// libcurl keeps so many requests in flight, simdjson reads the pages, and a second thread stores each record by one
// guarded upsert, a hundred pages a transaction. `newest`: pages in order until one ends with a record that is known.
#include <curl/curl.h>
#include <simdjson.h>
#include <sqlite3.h>

#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace {

constexpr int kPagesPerTransaction = 100;
constexpr size_t kQueued = 32;

[[noreturn]] void fail(const char *what) {
  std::fprintf(stderr, "bound: %s\n", what);
  std::_Exit(1);
}

// The texts of a record point into the parser of its page.
struct Record {
  int64_t id = 0, author = 0, replies = 0;
  double score = 0;
  bool hidden = false;
  std::string_view title, summary, link, picture, name, language, published, edited;
};

struct Page {
  simdjson::padded_string_view text() {
    body.reserve(body.size() + simdjson::SIMDJSON_PADDING);
    return simdjson::padded_string_view(body.data(), body.size(), body.capacity());
  }
  void parse();

  std::string body;
  std::vector<Record> records;
  int64_t total = 0;

 private:
  simdjson::ondemand::parser parser;
};

// A null stays a view without data, which is bound as NULL.
std::string_view text(simdjson::ondemand::value value) {
  if (value.is_null()) return {};
  return value.get_string();
}

// The fields come in the order in which the server writes them: each is found where the last one ended.
void Page::parse() {
  records.clear();
  simdjson::ondemand::document document = parser.iterate(text());
  simdjson::ondemand::object top = document.get_object();
  total = top["total"].get_int64();
  for (simdjson::ondemand::object object : top["items"].get_array()) {
    Record &record = records.emplace_back();
    record.id = object["id"].get_int64();
    record.title = ::text(object["title"].value());
    record.summary = ::text(object["summary"].value());
    record.link = ::text(object["link"].value());
    record.picture = ::text(object["picture"].value());
    simdjson::ondemand::object author = object["author"].get_object();
    record.author = author["id"].get_int64();
    record.name = ::text(author["name"].value());
    record.language = ::text(object["language"].value());
    record.score = object["score"].get_double();
    record.replies = object["replies"].get_int64();
    record.hidden = object["hidden"].get_bool();
    record.published = ::text(object["published_at"].value());
    record.edited = ::text(object["edited_at"].value());
  }
}

class Table {
 public:
  explicit Table(const char *path) {
    check(sqlite3_open_v2(path, &db_, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr));
    run("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;"
        "CREATE TABLE IF NOT EXISTS items (id INTEGER PRIMARY KEY, title TEXT, summary TEXT, link TEXT, picture TEXT,"
        " author INTEGER, name TEXT, language TEXT, score REAL, replies INTEGER, hidden INTEGER, published_at TEXT,"
        " edited_at TEXT)");
    // Writes only what differs.
    prepare(&upsert_,
        "INSERT INTO items VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET"
        " title = excluded.title, summary = excluded.summary, link = excluded.link, picture = excluded.picture,"
        " author = excluded.author, name = excluded.name, language = excluded.language, score = excluded.score,"
        " replies = excluded.replies, hidden = excluded.hidden, published_at = excluded.published_at,"
        " edited_at = excluded.edited_at WHERE"
        " (title, summary, link, picture, author, name, language, score, replies, hidden, published_at, edited_at)"
        " IS NOT (excluded.title, excluded.summary, excluded.link, excluded.picture, excluded.author, excluded.name,"
        " excluded.language, excluded.score, excluded.replies, excluded.hidden, excluded.published_at,"
        " excluded.edited_at)");
    prepare(&find_, "SELECT 1 FROM items WHERE id = ?");
  }

  ~Table() {
    sqlite3_finalize(upsert_);
    sqlite3_finalize(find_);
    sqlite3_close(db_);
  }

  void run(const char *sql) { check(sqlite3_exec(db_, sql, nullptr, nullptr, nullptr)); }

  bool has(int64_t id) {
    sqlite3_bind_int64(find_, 1, id);
    const bool is_there = sqlite3_step(find_) == SQLITE_ROW;
    sqlite3_reset(find_);
    return is_there;
  }

  void store(const Record &record) {
    sqlite3_bind_int64(upsert_, 1, record.id);
    bind(2, record.title), bind(3, record.summary), bind(4, record.link), bind(5, record.picture);
    sqlite3_bind_int64(upsert_, 6, record.author);
    bind(7, record.name), bind(8, record.language);
    sqlite3_bind_double(upsert_, 9, record.score);
    sqlite3_bind_int64(upsert_, 10, record.replies);
    sqlite3_bind_int(upsert_, 11, record.hidden);
    bind(12, record.published), bind(13, record.edited);
    if (sqlite3_step(upsert_) != SQLITE_DONE) fail(sqlite3_errmsg(db_));
    sqlite3_reset(upsert_);
  }

 private:
  void check(int code) {
    if (code != SQLITE_OK) fail(sqlite3_errmsg(db_));
  }
  void prepare(sqlite3_stmt **statement, const char *sql) {
    check(sqlite3_prepare_v2(db_, sql, -1, statement, nullptr));
  }
  void bind(int at, std::string_view text) {
    sqlite3_bind_text(upsert_, at, text.data(), static_cast<int>(text.size()), SQLITE_STATIC);
  }

  sqlite3 *db_ = nullptr;
  sqlite3_stmt *upsert_ = nullptr, *find_ = nullptr;
};

// Between the thread that reads pages and the one that stores them.
class Pages {
 public:
  void put(std::unique_ptr<Page> page) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return waiting_.size() < kQueued; });
    waiting_.push_back(std::move(page));
    changed_.notify_all();
  }

  // Nothing once the last page was taken.
  std::unique_ptr<Page> take() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !waiting_.empty() || has_ended_; });
    if (waiting_.empty()) return nullptr;
    auto page = std::move(waiting_.front());
    waiting_.pop_front();
    changed_.notify_all();
    return page;
  }

  void end() {
    const std::lock_guard lock(mutex_);
    has_ended_ = true;
    changed_.notify_all();
  }

  // A page that was stored is filled again, with its buffers and its parser.
  void give_back(std::unique_ptr<Page> page) {
    const std::lock_guard lock(mutex_);
    spare_.push_back(std::move(page));
  }

  std::unique_ptr<Page> empty() {
    const std::lock_guard lock(mutex_);
    if (spare_.empty()) return std::make_unique<Page>();
    auto page = std::move(spare_.back());
    spare_.pop_back();
    page->body.clear();
    return page;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::unique_ptr<Page>> waiting_;
  std::vector<std::unique_ptr<Page>> spare_;
  bool has_ended_ = false;
};

void store_all(Table &table, Pages &pages) {
  int stored = 0;
  table.run("BEGIN");
  while (auto page = pages.take()) {
    for (const Record &record : page->records) table.store(record);
    pages.give_back(std::move(page));
    if (++stored % kPagesPerTransaction == 0) table.run("COMMIT; BEGIN");
  }
  table.run("COMMIT");
}

struct Flight {
  CURL *easy = nullptr;
  std::unique_ptr<Page> page;
};

size_t receive(char *bytes, size_t size, size_t count, void *flight) {
  static_cast<Flight *>(flight)->page->body.append(bytes, size * count);
  return size * count;
}

class Fetcher {
 public:
  Fetcher(std::string url, int flights, Pages &pages) : url_(std::move(url)), flights_(flights), pages_(pages) {
    for (Flight &flight : flights_) {
      flight.easy = curl_easy_init();
      curl_easy_setopt(flight.easy, CURLOPT_WRITEFUNCTION, receive);
      curl_easy_setopt(flight.easy, CURLOPT_WRITEDATA, &flight);
      curl_easy_setopt(flight.easy, CURLOPT_PRIVATE, &flight);
      curl_easy_setopt(flight.easy, CURLOPT_BUFFERSIZE, 256L * 1024);
      idle_.push_back(&flight);
    }
  }

  // All pages are as long as the first. `known`, where it is given, is asked of each page's last record: the pages
  // behind a known one are left out.
  void fetch_all(Table *known) {
    for (int64_t next = 1, last = 1, live = 0; next <= last || live > 0;) {
      for (; !idle_.empty() && next <= last; next++, live++) start(next);
      int running = 0, left = 0;
      curl_multi_perform(multi_, &running);
      bool is_idle = true;
      while (CURLMsg *message = curl_multi_info_read(multi_, &left)) {
        auto page = finish(message);
        live--;
        is_idle = false;
        page->parse();
        const auto length = static_cast<int64_t>(page->records.size());
        if (last == 1 && length > 0) last = (page->total + length - 1) / length;
        if (known && !page->records.empty() && known->has(page->records.back().id)) last = 0;
        pages_.put(std::move(page));
      }
      if (is_idle) curl_multi_poll(multi_, nullptr, 0, 1000, nullptr);
    }
    pages_.end();
  }

 private:
  void start(int64_t number) {
    Flight *flight = idle_.back();
    idle_.pop_back();
    flight->page = pages_.empty();
    const std::string url = url_ + "?page=" + std::to_string(number);
    curl_easy_setopt(flight->easy, CURLOPT_URL, url.c_str());
    curl_multi_add_handle(multi_, flight->easy);
  }

  std::unique_ptr<Page> finish(const CURLMsg *message) {
    const CURLcode code = message->data.result;
    Flight *flight = nullptr;
    long status = 0;
    curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &flight);
    curl_easy_getinfo(message->easy_handle, CURLINFO_RESPONSE_CODE, &status);
    if (code != CURLE_OK) fail(curl_easy_strerror(code));
    if (status != 200) fail("an answer other than 200");
    curl_multi_remove_handle(multi_, flight->easy);
    idle_.push_back(flight);
    return std::move(flight->page);
  }

  const std::string url_;
  CURLM *multi_ = curl_multi_init();
  std::vector<Flight> flights_;
  std::vector<Flight *> idle_;
  Pages &pages_;
};

}  // namespace

int main(int count, char **words) {
  if (count < 4) fail("URL DATABASE FLIGHTS [newest]");
  const bool is_newest = count > 4 && std::string_view(words[4]) == "newest";
  curl_global_init(CURL_GLOBAL_DEFAULT);
  // What is known is asked on a connection of its own: the other one is the writer's.
  Table table(words[2]), reader(words[2]);
  Pages pages;
  Fetcher fetcher(words[1], is_newest ? 1 : std::atoi(words[3]), pages);
  std::thread writer([&] { store_all(table, pages); });
  fetcher.fetch_all(is_newest ? &reader : nullptr);
  writer.join();
}
