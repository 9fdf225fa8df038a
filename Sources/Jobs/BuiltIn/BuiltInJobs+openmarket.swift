// swift-format-ignore-file
// Made from jobs/openmarket.json5 by `UPDATE_GOLDEN=1 swift test --filter JobsTests`.
extension BuiltInJobs {
  static let openmarket = File(
    name: "openmarket",
    text: #"""
// Open Market: the products of the teaching server of yagom-academy, with images and vendors.
//
//   trawl run openmarket
//   trawl run openmarket --set search=guitar
//
// Whether the server still runs nobody can tell. Another one is named by settings of your own:
//
//   { name: "my-market", use: "openmarket", base: "https://market-training.yagom-academy.kr" }
//
// Two generations of it are known, one with hasNext and totalCount and one with has_next and
// total_count: both are read by this file.
{
  name: "openmarket",
  about: "Products of the Open Market, with images and vendors",
  base: "https://openmarket.yagom-academy.kr",

  params: {
    search: { default: [""], about: "words that a product's name holds; empty is every product" },
  },

  buckets: {
    gentle: { allow: 60, per: "minute", burst: 1, courtesy: true }, // none is told: one a second
  },

  // Plain text by design, with quotes in one generation and without in the other.
  health: { get: "/healthChecker", says: ["OK"] },

  streams: {
    details: {
      about: "one product, with its description, images and vendor",
      for: { each: "products.id", when: "changed" },
      get: "/api/products/{id}",
      records: ".",
      into: "products",
      key: ["host", "id"],
      columns: {
        host: { param: "host" },
        id: "id as integer",
        vendor_id: "vendor_id | vendors.id as integer",
        name: "name",
        description: "description", // one generation has it in its lists too, the other only here
      },
      children: {
        images: {
          records: "images",
          parent: { id: "product_id" },
          key: ["id"],
          columns: {
            id: "id as integer",
            url: "url as url",
            thumbnail_url: "thumbnail_url as url",
            issued_on: "issued_at as date",
          },
        },
        vendors: {
          records: "vendors", // one object
          shared: true, // a vendor has many products
          key: ["host", "id"],
          columns: { host: { param: "host" }, id: "id as integer", name: "name" },
        },
      },
      items: { summary: "description" },
      search: ["description"],
      foundBy: "product {id}",
    },

    products: {
      about: "every product, the newest first",
      get: "/api/products",
      query: { search_value: "{search?}" },
      // A hundred in one page: with small pages the server has answered longer ones than asked.
      pages: {
        by: "number",
        param: "page_no",
        size: { param: "items_per_page", value: 100 },
        more: "hasNext | has_next",
      },
      total: { at: "totalCount | total_count", trust: "counted" },
      records: "pages",
      into: "products",
      // Ids begin anew with each generation of the server, so its host is part of the key.
      key: ["host", "id"],
      columns: {
        host: { param: "host" },
        id: "id as integer",
        vendor_id: "vendor_id as integer",
        name: "name",
        thumbnail_url: "thumbnail as url",
        currency: "currency",
        price: "price as real", // 6.0E7 is how the server writes sixty million
        bargain_price: "bargain_price as real",
        discounted_price: "discounted_price as real",
        stock: "stock as integer",
        created_on: "created_at as date", // no zone, and in lists no time of day
        issued_on: "issued_at as date",
      },
      media: { thumbnail: "thumbnail_url" },
      list: "found", // openmarket_found(search, host, id)
      vanish: "mark",
      items: { title: "name", image: "thumbnail_url", published_at: "created_on" },
      search: ["name"],
      foundBy: "products {search}",
    },
  },
}
"""#)
}
