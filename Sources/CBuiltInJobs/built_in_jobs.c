/* `#embed` costs nothing to compile, and a build notices an edited job file. A new file of the
   folder wants a line in both places below; a test holds them against the folder. */
#include "built_in_jobs.h"

static const unsigned char crossref[] = {
#embed "../../jobs/crossref.json5"
};
static const unsigned char giphy[] = {
#embed "../../jobs/giphy.json5"
};
static const unsigned char github_repos[] = {
#embed "../../jobs/github-repos.json5"
};
static const unsigned char github[] = {
#embed "../../jobs/github.json5"
};
static const unsigned char hackernews[] = {
#embed "../../jobs/hackernews.json5"
};
static const unsigned char mastodon[] = {
#embed "../../jobs/mastodon.json5"
};
static const unsigned char mediawiki[] = {
#embed "../../jobs/mediawiki.json5"
};
static const unsigned char newsapi[] = {
#embed "../../jobs/newsapi.json5"
};
static const unsigned char openmarket[] = {
#embed "../../jobs/openmarket.json5"
};
static const unsigned char stackexchange[] = {
#embed "../../jobs/stackexchange.json5"
};
static const unsigned char youtube_proxy[] = {
#embed "../../jobs/youtube-proxy.json5"
};
static const unsigned char youtube[] = {
#embed "../../jobs/youtube.json5"
};

const built_in_job *built_in_jobs(void) {
  static const built_in_job jobs[] = {
    {"crossref", crossref, sizeof crossref},
    {"giphy", giphy, sizeof giphy},
    {"github-repos", github_repos, sizeof github_repos},
    {"github", github, sizeof github},
    {"hackernews", hackernews, sizeof hackernews},
    {"mastodon", mastodon, sizeof mastodon},
    {"mediawiki", mediawiki, sizeof mediawiki},
    {"newsapi", newsapi, sizeof newsapi},
    {"openmarket", openmarket, sizeof openmarket},
    {"stackexchange", stackexchange, sizeof stackexchange},
    {"youtube-proxy", youtube_proxy, sizeof youtube_proxy},
    {"youtube", youtube, sizeof youtube},
    {NULL, NULL, 0},
  };
  return jobs;
}
