// swift-format-ignore-file
// Made from jobs/youtube.json5 by `UPDATE_GOLDEN=1 swift test --filter JobsTests`.
extension BuiltInJobs {
  static let youtube = File(
    name: "youtube",
    text: #"""
// YouTube: videos of a search with their statistics, and everything that a channel has uploaded.
//
//   trawl run youtube --set q="swift concurrency"
//   trawl run youtube --stream uploads --set channel=UC_x5XG1OV2P6uZZ5FSM9Ttw
//
// A search is dear (100 a day, 50 videos each) and YouTube ends each near 500 results. The list of
// a channel's uploads is cheap (10,000 requests a day) and nearly complete: prefer it.
{
  name: "youtube",
  about: "Videos of a search, with statistics, and the uploads of channels",
  terms: "Stored data has to be refreshed or deleted after 30 days (YouTube API Services Terms).",
  base: "https://www.googleapis.com/youtube/v3",

  // In a header, so that the key stands in no URL and no log.
  auth: {
    header: "X-Goog-Api-Key",
    secret: "youtube-key",
    env: "YOUTUBE_API_KEY",
    get: "https://console.cloud.google.com/apis/credentials",
  },

  params: {
    q: { default: ["swift language"], about: "search words; each value is a search of its own" },
    channel: {
      default: [], // no value: the streams `channels` and `uploads` rest
      about: "ids of channels whose uploads are wanted",
      pattern: "UC[A-Za-z0-9_-]{22}",
      hint: "a channel id begins with UC and has 24 characters",
    },
  },

  // Two quotas of one project. No header tells what is left: Trawl counts.
  buckets: {
    search: { allow: 100, per: "day", resets: "00:00 America/Los_Angeles" },
    units: { allow: 10000, per: "day", resets: "00:00 America/Los_Angeles" },
  },

  errors: [
    {
      status: 400,
      where: "error.details.*.reason",
      is: "API_KEY_INVALID",
      then: "fatal",
      say: "YouTube does not know this API key",
    },
    {
      status: [400, 403],
      where: "error.errors.*.reason",
      is: ["keyInvalid", "keyExpired", "accessNotConfigured", "ipRefererBlocked"],
      then: "fatal",
      say: "the API key may not be used for the YouTube Data API",
    },
    { status: 401, then: "fatal", say: "YouTube does not accept the key" },
    {
      status: [403, 429],
      where: "error.details.*.metadata.quota_limit_value",
      is: "0",
      then: "fatal",
      say: "the project has no quota at all: waiting will not help",
    },
    // The same reason stands for a spent day and for a short burst: the name of the quota tells
    // them apart. Where the name is missing the message does.
    {
      status: [403, 429],
      where: "error.details.*.metadata.quota_unit",
      like: "1/min/*",
      then: "retry",
      wait: "60s",
    },
    {
      status: [403, 429],
      where: "error.details.*.metadata.quota_limit",
      like: "*SearchList*PerDay*",
      then: "defer",
      bucket: "search",
      say: "the searches of the day are used up",
    },
    {
      status: [403, 429],
      where: "error.message",
      like: "*'Search Queries per day'*",
      then: "defer",
      bucket: "search",
      say: "the searches of the day are used up",
    },
    {
      status: [403, 429],
      where: "error.details.*.metadata.quota_unit",
      like: "1/d/*",
      then: "defer",
      bucket: "units",
      say: "the units of the day are used up",
    },
    {
      status: [403, 429],
      where: "error.errors.*.reason",
      is: ["quotaExceeded", "dailyLimitExceeded"],
      then: "defer",
      bucket: "units",
      say: "the units of the day are used up",
    },
    {
      status: [403, 429],
      where: "error.errors.*.reason",
      is: ["rateLimitExceeded", "userRateLimitExceeded"],
      then: "retry",
      wait: "60s",
    },
    { status: 403, where: "error.details.*.reason", is: "SERVICE_UNAVAILABLE", then: "retry" },
    { status: 403, then: "skip", say: "YouTube does not show this to others" },
    // A page token has died: the list is asked again from its first page.
    { status: 400, where: "error.errors.*.reason", is: "invalidPageToken", then: "restart" },
    { status: 400, then: "fatal", say: "YouTube refuses the request itself" },
  ],

  streams: {
    channels: {
      about: "channels, for the lists of their uploads",
      get: "/channels",
      query: { part: "snippet,contentDetails", id: "{channel}" },
      spends: { units: 1 },
      records: "items",
      into: "channels",
      key: ["channel_id"],
      columns: {
        channel_id: "id",
        title: "snippet.title",
        description: "snippet.description",
        published_at: "snippet.publishedAt as time",
        uploads: "contentDetails.relatedPlaylists.uploads",
        thumbnail_url:
          "snippet.thumbnails.high.url | snippet.thumbnails.medium.url \
| snippet.thumbnails.default.url as url",
      },
      media: { thumbnail: "thumbnail_url" },
      emptyHint: "YouTube answers an unknown channel with an empty list",
      foundBy: "channel {channel}",
    },

    // The list of uploads stands before the search because it brings the most: a table has its
    // columns in the order in which its streams name them.
    uploads: {
      about: "everything that a channel has uploaded",
      for: { each: "channels.uploads", when: "run" },
      get: "/playlistItems",
      query: { part: "snippet,contentDetails", playlistId: "{uploads}" },
      spends: { units: 1 },
      pages: {
        by: "token",
        param: "pageToken",
        next: "nextPageToken",
        size: { param: "maxResults", value: 50 },
      },
      // No total: YouTube's number is an estimate, and nobody is marked as gone from a list whose
      // length is one. The tokens alone tell the end.
      cap: { at: 20000, doubt: 19950 },
      records: "items",
      // What was deleted or made private stays in the list without a date.
      keep: "published_at IS NOT NULL OR title NOT IN ('Deleted video', 'Private video')",
      into: "videos",
      inserts: true,
      key: ["video_id"],
      columns: {
        video_id: "contentDetails.videoId | snippet.resourceId.videoId",
        title: "snippet.title",
        description: "snippet.description",
        published_at: "contentDetails.videoPublishedAt as time", // not snippet.publishedAt: that is
        // the day on which the video came to the list
        channel_id: "snippet.videoOwnerChannelId | snippet.channelId",
        channel_title: "snippet.videoOwnerChannelTitle | snippet.channelTitle",
        thumbnail_url:
          "snippet.thumbnails.high.url | snippet.thumbnails.medium.url \
| snippet.thumbnails.default.url as url",
      },
      media: { thumbnail: "thumbnail_url" },
      list: { table: "uploads", columns: { playlist_id: { param: "uploads" } } },
      vanish: "mark",
      items: {
        title: "title",
        summary: "description",
        image: "thumbnail_url",
        published_at: "published_at",
      },
      search: ["title", "description", "channel_title"],
      foundBy: "uploads {uploads}",
    },

    search: {
      about: "videos that a search finds",
      get: "/search",
      query: { part: "snippet", type: "video", order: "date", q: "{q}" },
      spends: { search: 1 },
      pages: {
        by: "token",
        param: "pageToken",
        next: "nextPageToken",
        size: { param: "maxResults", value: 50 },
      },
      total: { at: "pageInfo.totalResults", trust: "estimate" }, // up to a million, and it moves
      // Tokens stop near 500, which looks just like a true end. Windows of time go round it.
      cap: { at: 500, doubt: 450 },
      window: {
        from: "publishedAfter",
        to: "publishedBefore",
        end: "outside", // nobody says whether the end belongs to it: windows share their second
        on: "published_at",
        overlap: "1d",
      },
      records: "items",
      into: "videos",
      key: ["video_id"],
      columns: {
        video_id: "id.videoId",
        // Search answers, and only they, write &amp; and &#39; into their texts.
        title: { at: "snippet.title", sql: "trawl_unescape(value)" },
        // No description here: a search cuts it short. The stream `statistics` brings the whole.
        published_at: "snippet.publishedAt as time",
        channel_id: "snippet.channelId",
        channel_title: { at: "snippet.channelTitle", sql: "trawl_unescape(value)" },
        thumbnail_url:
          "snippet.thumbnails.high.url | snippet.thumbnails.medium.url \
| snippet.thumbnails.default.url as url",
      },
      media: { thumbnail: "thumbnail_url" },
      list: "found", // youtube_found(q, video_id)
      items: {
        title: "title",
        image: "thumbnail_url",
        published_at: "published_at",
      },
      search: ["title", "channel_title"],
      foundBy: "q={q}",
    },

    statistics: {
      about: "description, views, likes and length of what the searches found",
      // Fifty videos a request, each again after a week. It fills columns of rows that are there.
      for: { each: "search.video_id", when: "stale 7d", batch: 50 },
      get: "/videos",
      query: { part: "snippet,statistics,contentDetails", id: "{video_id}" }, // parts cost nothing
      spends: { units: 1 },
      records: "items",
      into: "videos",
      key: ["video_id"],
      columns: {
        video_id: "id",
        description: "snippet.description",
        // Numbers come as texts, and a hidden one not at all. What always changes is volatile: each
        // value is kept with its time in youtube_videos_history.
        views: { at: "statistics.viewCount", as: "integer", volatile: true },
        likes: { at: "statistics.likeCount", as: "integer", volatile: true },
        duration: "contentDetails.duration",
      },
      items: { summary: "description" },
      search: ["description"],
    },

    upload_statistics: {
      about: "description, views, likes and length of the uploads",
      for: { each: "uploads.video_id", when: "stale 7d", batch: 50 },
      get: "/videos",
      query: { part: "snippet,statistics,contentDetails", id: "{video_id}" },
      spends: { units: 1 },
      sameAs: "statistics",
    },
  },
}
"""#)
}
