/// The page's style: readable on phones and in print, light and dark, self-contained.
enum HTMLStyle {
  static let text = """
    :root { --ink: #1b1f24; --paper: #ffffff; --soft: #57606a; --panel: #f6f8fa;
      --line: #d8dee4; --good: #1a7f37; --wait: #9a6700; --bad: #cf222e; --bar: #54aeff;
      --network: #8250df; --client: #0e7c86; --other: #6e7781; --hole: #d8dee4; }
    @media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --paper: #0d1117;
      --soft: #9198a1; --panel: #151b23; --line: #2f353d; --good: #3fb950; --wait: #d29922;
      --bad: #f85149; --bar: #388bfd; --network: #a371f7; --client: #39c5cf; --other: #8b949e; --hole: #2f353d; } }
    * { box-sizing: border-box; }
    body { margin: 0 auto; padding: 1.5rem 1rem 3rem; max-width: 62rem; color: var(--ink);
      background: var(--paper); font: 16px/1.5 system-ui, sans-serif; }
    header { margin-bottom: 1.2rem; border-left: .35rem solid var(--line); padding: .1rem 0 .1rem 1rem; }
    header.good, header.wait, header.bad { color: inherit; }
    header.good { border-color: var(--good); } header.wait { border-color: var(--wait); }
    header.bad { border-color: var(--bad); } header.other { color: inherit; }
    .name { background: var(--panel); border-radius: .3rem; padding: 0 .3em; font-weight: 600; }
    h1 { font-size: 1.75rem; line-height: 1.2; margin: 0 0 .35rem; overflow-wrap: anywhere; }
    h2 { font-size: 1.1rem; margin: 2.2rem 0 .6rem; }
    p { margin: .35rem 0; }
    p, li, td, th, figcaption { overflow-wrap: anywhere; }
    .soft, footer { color: var(--soft); font-size: .9rem; }
    .good { color: var(--good); } .wait { color: var(--wait); } .bad { color: var(--bad); }
    .figures { display: flex; flex-wrap: wrap; gap: .6rem; list-style: none; padding: 0;
      margin: 1.2rem 0; }
    .figures li { background: var(--panel); border-radius: .5rem; padding: .45rem .9rem .5rem;
      min-width: 6.2rem; font-size: .85rem; color: var(--soft); }
    .figures b { display: block; font-size: 1.35rem; line-height: 1.25; font-weight: 600;
      color: var(--ink); font-variant-numeric: tabular-nums; }
    h3 { font-size: .95rem; margin: 1.2rem 0 .3rem; }
    .step { font-size: 1.05rem; }
    .command { display: inline-block; background: var(--panel); border: 1px solid var(--line);
      border-radius: .3rem; padding: .05rem .45rem; user-select: all; }
    .other { color: var(--other); }
    td.picture { width: 3.5rem; padding-right: .7rem; }
    td.picture img { width: 3rem; height: 3rem; object-fit: contain; background: var(--panel);
      border-radius: .3rem; display: block; }
    table.changes td { min-width: 4rem; }
    .cards { list-style: none; padding: 0; display: grid; gap: .8rem;
      grid-template-columns: repeat(auto-fit, minmax(min(22rem, 100%), 1fr)); }
    .cards li { background: var(--panel); border-left: .35rem solid var(--bad);
      border-radius: .3rem; padding: .6rem 1rem .7rem; }
    .cards h3 { margin: 0 0 .2rem; font-size: 1rem; }
    tbody th { color: var(--ink); font-size: inherit; } tbody th .soft { font-weight: 400; }
    h1 .soft { font-size: inherit; }
    table.jobs td.why { width: 34%; } td.age { white-space: normal; }
    td.strip svg { width: 11.25rem; height: 1.15rem; margin-left: auto; } th.strip { text-align: right; }
    td.strip { vertical-align: middle; }
    .unit { position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden; }
    summary { cursor: pointer; } summary:focus-visible, a:focus-visible, .scroll:focus-visible
      { outline: 2px solid var(--bar); outline-offset: 2px; }
    .scroll { overflow-x: auto; }
    table { border-collapse: collapse; width: 100%; font-size: .92rem; }
    th, td { text-align: left; vertical-align: top; padding: .45rem .9rem .45rem 0;
      border-bottom: 1px solid var(--line); }
    th { font-weight: 600; color: var(--soft); font-size: .85rem; }
    th, td.number { overflow-wrap: normal; white-space: nowrap; }
    table.lists td { min-width: 5rem; }
    table.lists td:first-child { min-width: 9rem; }
    td.why { width: 52%; }
    td .mark { font-weight: 600; }
    table.lists td > .mark:only-child { white-space: nowrap; }
    .mark::before { content: "\\25CF\\00A0"; font-size: .8em; }
    td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; }
    table.rejects td:first-child { white-space: nowrap; }
    td.bar { width: 30%; min-width: 4rem; vertical-align: middle; }
    td.bar svg { width: 100%; height: .55rem; border-radius: .25rem; }
    @media (max-width: 40rem) {
      table.lists thead, td.bar, th.bar { display: none; }
      table.lists tr { display: block; padding: .6rem 0; border-bottom: 1px solid var(--line); }
      td time { white-space: normal; } th, td { padding-right: .6rem; }
      table.lists td { display: inline; min-width: 0; border: 0; padding: 0 .6rem 0 0; }
      table.lists td.why { display: block; width: auto; }
      table.lists td:first-child { display: block; font-weight: 600; }
      table.jobs thead, table.quotas thead, table.day thead, table.changes thead { display: none; }
      table.jobs tr, table.quotas tr, table.day tr { display: block; padding: .6rem 0;
        border-bottom: 1px solid var(--line); }
      table.jobs :is(td, th), table.quotas :is(td, th), table.day :is(td, th) { display: inline-block;
        border: 0; padding: 0 .8rem .1rem 0; text-align: left; }
      table.jobs :is(th, td.why), table.quotas :is(th, td.why), table.day :is(th, td.why)
        { display: block; width: auto; overflow-wrap: anywhere; white-space: normal; }
      table.jobs td.number:nth-child(3)::before { content: "rows "; color: var(--soft); }
      table.jobs td.age::before { content: "age "; color: var(--soft); }
      table.jobs td:last-child:not(:empty)::before { content: "next run "; color: var(--soft); }
      table.jobs td.strip { display: block; } table.jobs td br { display: none; }
      table.jobs td.why br { display: inline; }
      table.day td:nth-child(3)::before { content: "new "; color: var(--soft); }
      table.day td:nth-child(4)::before { content: "changed "; color: var(--soft); }
      table.day td:nth-child(5)::before { content: "gone "; color: var(--soft); }
      td.forecast:not(:empty)::before { content: "forecast "; }
      table.rejects { min-width: 34rem; }
      .figures { gap: .4rem; } .figures li { flex: 1 1 5.5rem; min-width: 0; }
    }
    .sheet { display: grid; grid-template-columns: repeat(auto-fill, minmax(6.5rem, 1fr));
      gap: .8rem; padding: 0; margin: .8rem 0 0; list-style: none; }
    .sheet figure { margin: 0; }
    .sheet img { width: 100%; height: 6.5rem; object-fit: contain; background: var(--panel);
      border-radius: .4rem; }
    .sheet figcaption { font-size: .75rem; line-height: 1.3; max-height: 2.6em; overflow: hidden; }
    figure { margin: .6rem 0 1rem; }
    figure.bar svg { width: 100%; height: .9rem; border-radius: .25rem; }
    ul { padding-left: 1.2rem; margin: .4rem 0; }
    .key { white-space: nowrap; margin-right: .9rem; }
    a { color: inherit; }
    time { white-space: nowrap; font-variant-numeric: tabular-nums; }
    svg { max-width: 100%; height: auto; display: block; }
    .axis { display: flex; justify-content: space-between; margin: .1rem 0; font-size: .75rem;
      border-top: 1px solid var(--line); }
    code { font: .85rem/1.4 ui-monospace, monospace; white-space: pre-wrap;
      overflow-wrap: anywhere; }
    footer { margin-top: 2.5rem; border-top: 1px solid var(--line); padding-top: .6rem; }
    @media print { :root { --ink: #000; --paper: #fff; --soft: #444; --line: #bbb;
      --panel: #fff; } body { max-width: none; padding: 0; } h2 { break-after: avoid; }
      tr, li, figure { break-inside: avoid; } .figures li { border: 1px solid var(--line); } }
    """
}
