// The bench's server: `pages PORTFILE` answers GET /things/COUNT?page=N&size=100 on loopback with
// bodies that lie ready; only the ids of the records are written into them. One thread, keep-alive.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BODIES = 32, A_PAGE = 100, RECORD_MAX = 1400, REQUEST_MAX = 4096, CLIENTS_MAX = 16 };

// Digits of an id at two places of each record: the id itself and the end of its link.
enum { ID_DIGITS = 10 };
struct body {
  char *text;
  size_t length;
  size_t ids[A_PAGE], links[A_PAGE];
};
static struct body bodies[BODIES];
static const long first_id = 1000000000;

struct client {
  int socket;
  size_t held;
  char request[REQUEST_MAX];
};

static void fail(const char *what) {
  perror(what);
  exit(1);
}

static unsigned next_random(void) {
  static unsigned long long state = 1;
  state = state * 6364136223846793005ull + 1442695040888963407ull;
  return (unsigned)(state >> 33);
}

static size_t words(char *to, size_t length) {
  static const char *const list[] = {"water", "of", "the", "river", "and", "a", "long", "way",
      "house", "in", "north", "\\u00e9t\\u00e9", "with", "\\\"quoted\\\"", "morning", "light"};
  size_t at = 0;
  while (at < length) at += (size_t)sprintf(to + at, "%s ", list[next_random() % 16]);
  return at;
}

// Bodies begin behind the total, which depends on the request.
static void make(struct body *body) {
  body->text = malloc(A_PAGE * RECORD_MAX);
  if (!body->text) fail("memory");
  char *to = body->text;
  for (int i = 0; i < A_PAGE; i++) {
    to += sprintf(to, "%s{\"id\":", i ? "," : "");
    body->ids[i] = (size_t)(to - body->text);
    to += sprintf(to, "%010d,\"title\":\"", 0);
    to += words(to, 40);
    to += sprintf(to, "\",\"author\":{\"name\":\"Person %u\",\"verified\":%s},\"views\":%u,",
        next_random() % 5000, next_random() % 2 ? "true" : "false", next_random() % 1000000);
    to += sprintf(to, "\"published_at\":\"2026-%02u-%02uT%02u:%02u:%02u.123Z\",",
        1 + next_random() % 12, 1 + next_random() % 28, next_random() % 24, next_random() % 60,
        next_random() % 60);
    to += sprintf(to, "\"link\":\"https://things.example/things/");
    body->links[i] = (size_t)(to - body->text);
    to += sprintf(to, "%010d\",\"body\":\"", 0);
    to += words(to, 650);
    to += sprintf(to, "\",\"extra\":{\"tags\":[\"%u\",\"blue\",\"new\"],\"size\":{\"w\":%u,\"h\":%u},"
        "\"score\":%u.5},\"kind\":\"thing\",\"unused\":null}",
        next_random() % 100, next_random() % 4000, next_random() % 3000, next_random() % 100);
  }
  to += sprintf(to, "]}");
  body->length = (size_t)(to - body->text);
}

static void write_id(char *to, long id) {
  for (int i = ID_DIGITS - 1; i >= 0; i--, id /= 10) to[i] = (char)('0' + id % 10);
}

// False once the client has gone.
static int send_all(int socket, const char *text, size_t length, int flags) {
  while (length > 0) {
    ssize_t sent = send(socket, text, length, flags | MSG_NOSIGNAL);
    if (sent <= 0) return 0;
    text += sent;
    length -= (size_t)sent;
  }
  return 1;
}

static int answer(int socket, const char *request) {
  long count = 0, page = 1;
  if (sscanf(request, "GET /things/%ld", &count) != 1 || count <= 0) return 0;
  const char *mark = strstr(request, "page=");
  if (mark) page = atol(mark + 5);
  struct body *body = &bodies[page % BODIES];
  const int is_beyond = page < 1 || page > count / A_PAGE;
  char start[64], head[256];
  const int opened = sprintf(start, "{\"total\":%ld,\"things\":[%s", count, is_beyond ? "]}" : "");
  const size_t length = (size_t)opened + (is_beyond ? 0 : body->length);
  const int headed = sprintf(head,
      "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n\r\n%s", length,
      start);
  if (is_beyond) return send_all(socket, head, (size_t)headed, 0);
  for (int i = 0; i < A_PAGE; i++) {
    const long id = first_id + (page - 1) * A_PAGE + i;
    write_id(body->text + body->ids[i], id);
    write_id(body->text + body->links[i], id);
  }
  return send_all(socket, head, (size_t)headed, MSG_MORE) &&
      send_all(socket, body->text, body->length, 0);
}

// Reads what is there and answers each whole request; false once the client has gone.
static int serve(struct client *client) {
  const size_t space = REQUEST_MAX - 1 - client->held;
  ssize_t got = space ? recv(client->socket, client->request + client->held, space, 0) : 0;
  if (got <= 0) return 0;
  client->held += (size_t)got;
  for (;;) {
    client->request[client->held] = 0;
    char *end = strstr(client->request, "\r\n\r\n");
    if (!end) return 1;
    if (!answer(client->socket, client->request)) return 0;
    const size_t used = (size_t)(end + 4 - client->request);
    client->held -= used;
    memmove(client->request, client->request + used, client->held);
  }
}

static int open_listener(const char *port_file) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof address;
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  if (listener < 0 || bind(listener, (struct sockaddr *)&address, size) || listen(listener, 16) ||
      getsockname(listener, (struct sockaddr *)&address, &size))
    fail("listen");
  FILE *file = fopen(port_file, "w");
  if (!file || fprintf(file, "%d\n", ntohs(address.sin_port)) < 0 || fclose(file)) fail(port_file);
  return listener;
}

int main(int count, char **arguments) {
  if (count != 2) return fputs("pages PORTFILE\n", stderr), 64;
  // Ends with the bench, however that ends.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (int i = 0; i < BODIES; i++) make(&bodies[i]);
  struct pollfd polled[1 + CLIENTS_MAX];
  static struct client clients[1 + CLIENTS_MAX];
  int used = 1;
  polled[0] = (struct pollfd){.fd = open_listener(arguments[1]), .events = POLLIN};
  for (;;) {
    if (poll(polled, (nfds_t)used, -1) < 0) fail("poll");
    for (int i = used - 1; i > 0; i--) {
      if (!polled[i].revents || serve(&clients[i])) continue;
      close(clients[i].socket);
      used--;
      clients[i] = clients[used];
      polled[i] = polled[used];
    }
    if (!(polled[0].revents & POLLIN)) continue;
    const int socket = accept(polled[0].fd, 0, 0), on = 1;
    if (socket < 0) continue;
    if (used > CLIENTS_MAX) {
      close(socket);
      continue;
    }
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    clients[used].socket = socket;
    clients[used].held = 0;
    polled[used] = (struct pollfd){.fd = socket, .events = POLLIN};
    used++;
  }
}
