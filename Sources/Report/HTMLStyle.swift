/// The page's own style: readable on a phone and in print, light and dark, nothing from outside.
enum HTMLStyle {
  static let text = """
    :root { --ink: #1b1f24; --paper: #ffffff; --soft: #57606a;
      --line: #d0d7de; --good: #1a7f37; --wait: #9a6700; --bad: #cf222e; --bar: #54aeff;
      --network: #8250df; --client: #0e7c86; --other: #6e7781; }
    @media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --paper: #0d1117;
      --soft: #9198a1; --line: #30363d; --good: #3fb950; --wait: #d29922; --bad: #f85149;
      --bar: #388bfd; --network: #a371f7; --client: #39c5cf; --other: #8b949e; } }
    * { box-sizing: border-box; }
    body { margin: 0 auto; padding: 1.2rem 1rem 4rem; max-width: 64rem; color: var(--ink);
      background: var(--paper); font: 16px/1.5 system-ui, sans-serif; }
    h1 { font-size: 1.6rem; line-height: 1.2; margin: .2rem 0; overflow-wrap: anywhere; }
    h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; border-bottom: 1px solid var(--line); }
    p, li, td, th, figcaption { overflow-wrap: anywhere; }
    .soft { color: var(--soft); }
    .good { color: var(--good); } .wait { color: var(--wait); } .bad { color: var(--bad); }
    .scroll { overflow-x: auto; }
    table { border-collapse: collapse; width: 100%; font-size: .92rem; }
    th, td { text-align: left; vertical-align: top; padding: .3rem .6rem .3rem 0;
      border-bottom: 1px solid var(--line); }
    th, td.number { overflow-wrap: normal; white-space: nowrap; }
    table.units td { min-width: 5rem; }
    td.good, td.wait, td.bad { white-space: nowrap; }
    td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; }
    @media (max-width: 40rem) {
      table.units thead { display: none; }
      table.units tr { display: block; padding: .5rem 0; border-bottom: 1px solid var(--line); }
      table.units td { display: inline; border: 0; padding: 0 .5rem 0 0; }
      table.units td.why { display: block; }
      td.foretold:not(:empty)::before { content: "foretold "; }
      table.rejects { min-width: 34rem; }
    }
    .sheet { display: grid; grid-template-columns: repeat(auto-fill, minmax(6.5rem, 1fr));
      gap: .6rem; padding: 0; margin: 0; list-style: none; }
    .sheet figure { margin: 0; }
    .sheet img { width: 100%; height: 6.5rem; object-fit: contain; background: #8881;
      border: 1px solid var(--line); }
    .sheet figcaption { font-size: .75rem; max-height: 2.4em; overflow: hidden; }
    figure { margin: .5rem 0 1rem; }
    figure.bar svg { width: 100%; height: 1rem; }
    .key { white-space: nowrap; margin-right: .9rem; }
    a { color: inherit; }
    time { font-variant-numeric: tabular-nums; }
    svg { max-width: 100%; height: auto; display: block; }
    .axis { display: flex; justify-content: space-between; margin: .1rem 0; font-size: .75rem;
      border-top: 1px solid var(--line); }
    pre, code { font: .85rem/1.4 ui-monospace, monospace; white-space: pre-wrap;
      overflow-wrap: anywhere; }
    @media print { :root { --ink: #000; --paper: #fff; --soft: #444; --line: #bbb; }
      body { max-width: none; padding: 0; } h2 { break-after: avoid; } }
    """
}
