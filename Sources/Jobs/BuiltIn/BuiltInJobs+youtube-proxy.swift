// swift-format-ignore-file
// Made from jobs/youtube-proxy.json5 by `UPDATE_GOLDEN=1 swift test --filter JobsTests`.
extension BuiltInJobs {
  static let youtubeProxy = File(
    name: "youtube-proxy",
    text: #"""
// A proxy before YouTube that speaks a dialect of its own: pages by number, an exact total, and
// records without ids. Such proxies are private; settings of your own name yours:
//
//   { name: "my-proxy", use: "youtube-proxy", base: "https://proxy.example/videos" }
//
// or, for one run: trawl run youtube-proxy --endpoint https://proxy.example/videos
{
  name: "youtube-proxy",
  about: "Videos that a private proxy lists: page numbers, exact totals, no ids",
  base: "https://youtube-proxy.invalid", // a name that leads nowhere until you say where

  buckets: {
    gentle: { allow: 60, per: "minute", burst: 1, courtesy: true }, // none is told: one a second
  },

  streams: {
    videos: {
      about: "everything that the proxy lists",
      get: "/",
      pages: { by: "number", param: "page", first: 1, size: { param: "maxResults", value: 10 } },
      total: { at: "pageInfo.totalResults", trust: "counted" },
      records: "items",
      into: "videos", // youtube_proxy_videos
      // No id in the record: the 11 characters after /vi/ in the address of its thumbnail are the
      // video's. Without such an address a digest of the title stands in.
      key: ["video_id"],
      columns: {
        video_id: {
          at: "snippet.thumbnails.high.url | snippet.title",
          sql:
            "CASE WHEN instr(value, '/vi/') > 0 THEN substr(value, instr(value, '/vi/') + 4, 11) \
ELSE trawl_digest(value) END",
        },
        title: "snippet.title",
        description: "snippet.description",
        thumbnail_url: "snippet.thumbnails.high.url as url",
      },
      media: { thumbnail: "thumbnail_url" },
      items: { title: "title", summary: "description", image: "thumbnail_url" },
      search: ["title", "description"],
      foundBy: "the proxy's list",
    },
  },
}
"""#)
}
