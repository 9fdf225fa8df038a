"""Real client libraries against the sandbox: lists to their end, errors, limits."""
import json
import os
import sys
import urllib.request

ORIGIN = sys.argv[1]
failures = []


def check(name, holds, seen=""):
    print(("  ok    " if holds else "  WRONG ") + name + ("" if holds else f": {seen}"))
    if not holds:
        failures.append(name)


def truth(api, of=None):
    with urllib.request.urlopen(f"{ORIGIN}/_sandbox/truth?api={api}" + (f"&of={of}" if of else "")) as answer:
        return json.load(answer)


def listed(api, name, of):
    for one in truth(api)["lists"]:
        if one["name"] == name and one["of"] == of:
            return one["keys"]
    raise SystemExit(f"the sandbox knows no list {name} of {of}")


def raises(kind, body):
    try:
        body()
    except kind as error:
        return error
    return None


def pygithub():
    import github

    client = github.Github(
        auth=github.Auth.Token("a-token"), base_url=f"{ORIGIN}/github", per_page=100, retry=None)
    user = client.get_user("octocat")
    followers = [one.id for one in user.get_followers()]
    wanted = [int(key) for key in listed("github", "followers", "octocat")]
    check("PyGithub: followers to the last page", followers == wanted, f"{len(followers)} of {len(wanted)}")
    check("PyGithub: a user by number", client.get_user_by_id(user.id).login == "octocat")
    found = [one.login for one in client.search_users("octo")]
    check("PyGithub: a search", found == ["octocat"], found)
    error = raises(github.UnknownObjectException, lambda: client.get_user("nobody-of-that-name"))
    check("PyGithub: 404", error is not None)
    bad = github.Github(auth=github.Auth.Token("bad"), base_url=f"{ORIGIN}/github", retry=None)
    check("PyGithub: a bad key", raises(github.BadCredentialsException, lambda: bad.get_user("octocat").id) is not None)
    client.get_rate_limit()
    check("PyGithub: the limit", client.rate_limiting[1] == 5000, client.rate_limiting)
    anonymous = github.Github(base_url=f"{ORIGIN}/github", retry=None)

    def spend():
        for _ in range(70):
            anonymous.get_user("octocat").id

    check("PyGithub: the hour is spent", raises(github.RateLimitExceededException, spend) is not None)


def github3py():
    import github3

    session = github3.session.GitHubSession()
    session.base_url = f"{ORIGIN}/github"
    client = github3.GitHub(session=session, token="another-token")
    followers = [one.id for one in client.followers_of("octocat")]
    wanted = [int(key) for key in listed("github", "followers", "octocat")]
    check("github3.py: followers to the last page", followers == wanted, f"{len(followers)} of {len(wanted)}")
    check("github3.py: a user by number", client.user_with_id(client.user("octocat").id).login == "octocat")
    check("github3.py: 404", raises(github3.exceptions.NotFoundError, lambda: client.user("nobody-of-that-name")) is not None)


def newsapi():
    import newsapi
    from newsapi import const

    for name in ["EVERYTHING_URL", "TOP_HEADLINES_URL", "SOURCES_URL"]:
        setattr(const, name, getattr(const, name).replace("https://newsapi.org/v2", f"{ORIGIN}/newsapi"))
    client = newsapi.NewsApiClient(api_key="a-key")
    answer = client.get_everything(q="linux", page_size=100)
    check("newsapi-python: everything", answer["status"] == "ok" and len(answer["articles"]) == 100, answer)
    error = raises(newsapi.newsapi_exception.NewsAPIException, lambda: client.get_everything(q="linux", page=2, page_size=100))
    check("newsapi-python: beyond the plan", error is not None and error.get_code() == "maximumResultsReached", error)
    check("newsapi-python: headlines", client.get_top_headlines(country="us")["totalResults"] > 0)
    check("newsapi-python: sources", len(client.get_sources()["sources"]) > 0)
    bad = newsapi.NewsApiClient(api_key="bad")
    error = raises(newsapi.newsapi_exception.NewsAPIException, lambda: bad.get_sources())
    check("newsapi-python: a bad key", error is not None and error.get_code() == "apiKeyInvalid", error)


def pyyoutube():
    import pyyoutube

    class Client(pyyoutube.Client):
        BASE_URL = f"{ORIGIN}/youtube/"

    client = Client(api_key="a-key")
    channel = "UCtrawlSandboxChannel000"
    found = client.channels.list(channel_id=channel)
    check("python-youtube: a channel with the parts of its default", found.items[0].id == channel)
    check("python-youtube: by handle", client.channels.list(for_handle="@sandbox0").items[0].id == channel)
    check("python-youtube: by user name", client.channels.list(for_username="sandbox0").items[0].id == channel)
    uploads = found.items[0].contentDetails.relatedPlaylists.uploads
    keys, token = [], None
    while True:
        page = client.playlistItems.list(playlist_id=uploads, max_results=50, page_token=token)
        keys += [one.contentDetails.videoId for one in page.items if one.contentDetails.videoPublishedAt]
        token = page.nextPageToken
        if not token:
            break
    wanted = next(one for one in truth("youtube", f"channel={channel}")["lists"] if one["name"] == "uploads")["keys"]
    check("python-youtube: uploads to the last page", keys == wanted, f"{len(keys)} of {len(wanted)}")
    videos = client.videos.list(video_id=keys[:3])
    check("python-youtube: videos with the parts of its default", len(videos.items) == 3)
    error = raises(pyyoutube.PyYouTubeException, lambda: Client(api_key="bad").channels.list(channel_id=channel))
    check("python-youtube: a bad key", error is not None and error.status_code == 400, error)


def google():
    import httplib2
    from googleapiclient import errors
    from googleapiclient.discovery import build

    def client(key):
        made = build("youtube", "v3", developerKey=key, http=httplib2.Http(), static_discovery=True)
        made._baseUrl = f"{ORIGIN}/"
        return made

    def at(request):
        request.uri = request.uri.replace("/youtube/v3/", "/youtube/")
        return request.execute()

    youtube = client("a-key")
    search = youtube.search().list(part="snippet", q="swift language", type="video", order="date", maxResults=50)
    keys, api = [], youtube.search()
    while search is not None:
        answer = at(search)
        keys += [one["id"]["videoId"] for one in answer["items"]]
        search = api.list_next(search, answer)
    wanted = listed("youtube", "search", "q=swift language")
    check("google-api-python-client: a search to its end", keys == wanted, f"{len(keys)} of {len(wanted)}")

    def status(body):
        error = raises(errors.HttpError, body)
        return error.resp.status if error else None

    check("google-api-python-client: a bad key", status(lambda: at(client("bad").channels().list(part="id", id="x"))) == 400)
    check("google-api-python-client: no key", status(lambda: at(client(None).channels().list(part="id", id="x"))) == 403)
    check("google-api-python-client: no filter", status(lambda: at(youtube.channels().list(part="id"))) == 400)
    check("google-api-python-client: an unknown part", status(lambda: at(youtube.channels().list(part="nothing", id="x"))) == 400)

    def spend():
        for _ in range(101):
            at(youtube.search().list(part="snippet", q="music", maxResults=5))

    check("google-api-python-client: the searches of the day are spent", status(spend) in (403, 429))


def giphy():
    import giphy_client
    from giphy_client.rest import ApiException

    client = giphy_client.DefaultApi()
    client.api_client.host = f"{ORIGIN}/giphy"
    key = "a-key"
    keys, offset = [], 0
    while True:
        page = client.gifs_search_get(key, "cat", limit=50, offset=offset, rating="g")
        keys += [one.id for one in page.data]
        offset += len(page.data)
        if not page.data or offset >= page.pagination.total_count:
            break
    wanted = listed("giphy", "search", "q=cat")
    check("giphy_client: a search, page by page", set(keys) == set(wanted), f"{len(keys)} of {len(wanted)}")
    error = raises(ApiException, lambda: client.gifs_search_get("bad", "cats"))
    check("giphy_client: a bad key", error is not None and error.status in (401, 403), error)

    def spend():
        for _ in range(101):
            client.gifs_search_get(key, "cats", limit=1)

    error = raises(ApiException, spend)
    check("giphy_client: the hour is spent", error is not None and error.status == 429, error)


for walk in [pygithub, github3py, newsapi, pyyoutube, google, giphy]:
    try:
        walk()
    except Exception as error:
        check(f"{walk.__name__} came to its end", False, repr(error)[:600])
print(f"{len(failures)} wrong" if failures else "all as the clients expect")
sys.exit(1 if failures else 0)
