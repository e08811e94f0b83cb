#if Serve
  #if canImport(FoundationEssentials)
    internal import FoundationEssentials
  #else
    internal import Foundation
  #endif
  internal import RangeIOSupport

  /// The style and the script of a listing, which stand in the page. The policy lets nothing else run or load, if a name should
  /// get past the escaping after all.
  enum ListingAssets {
    static let policy: String = {
      func hash(_ text: String) -> String {
        "'sha256-" + Data(SHA256.digest(of: Array(text.utf8))).base64EncodedString() + "'"
      }
      return "default-src 'none'; style-src \(hash(style)); script-src \(hash(script)); "
        + "base-uri 'none'; form-action 'none'"
    }()

    /// Names take the room that sizes and times leave, and are cut where it ends.
    static let style = """
      :root { color-scheme: light dark; --text: #1c2024; --quiet: #656d76; --line: #e4e7ea; --hover: #f4f6f8; --link: #0a58ca }
      @media (prefers-color-scheme: dark) {
        :root { --text: #e4e7ea; --quiet: #8d96a0; --line: #2b3138; --hover: #20252b; --link: #79b0ff; background: #15181c }
      }
      body { font: 15px/1.5 system-ui, sans-serif; color: var(--text); margin: 0 auto; max-width: 64rem; padding: 1.5rem 1rem }
      a { color: var(--link); text-decoration: none }
      a:hover { text-decoration: underline }
      header { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center; margin-bottom: 1rem }
      h1 { font-size: 1.15rem; margin: 0; flex: 1 1 16rem; overflow-wrap: anywhere }
      h1 i { color: var(--quiet); font-style: normal; font-weight: 400; padding: 0 .3rem }
      input { font: inherit; color: inherit; background: none; border: 1px solid var(--line); border-radius: 6px; padding: .25rem .6rem;
        width: 14rem; max-width: 100%; box-sizing: border-box }
      table { border-collapse: collapse; width: 100% }
      th, td { padding: .35rem .6rem; text-align: left; white-space: nowrap; border-bottom: 1px solid var(--line) }
      th, th a { color: var(--quiet); font-weight: 500 }
      th[aria-sort] a { color: var(--text) }
      th[aria-sort=ascending] a::after { content: " \\2191" }
      th[aria-sort=descending] a::after { content: " \\2193" }
      td:first-child, th:first-child { width: 100%; max-width: 0; overflow: hidden; text-overflow: ellipsis; padding-left: .4rem }
      td:nth-child(2), th:nth-child(2) { text-align: right }
      td + td { color: var(--quiet); font-variant-numeric: tabular-nums }
      tbody tr:hover { background: var(--hover) }
      .folder a { font-weight: 600 }
      footer { color: var(--quiet); margin-top: 1rem }
      [hidden] { display: none }
      @media (max-width: 40rem) { body { padding: 1rem .5rem } td span, th span { display: none } th, td { padding: .45rem .3rem } }
      @media print { input { display: none } }
      """

    /// Shows the box, and of the lines those whose name has what is typed there.
    static let script = """
      const box = document.querySelector("input"), count = document.querySelector("footer span"), all = count.textContent;
      const rows = [...document.querySelectorAll("tbody tr[class]")].map(row => [row, row.cells[0].textContent.toLowerCase()]);
      const filter = () => {
        const text = box.value.toLowerCase();
        let shown = 0;
        for (const [row, name] of rows) if (!(row.hidden = !name.includes(text))) shown++;
        count.textContent = text ? `${shown} of ${rows.length} shown` : all;
      };
      box.hidden = false;
      box.addEventListener("input", filter);
      if (box.value) filter();
      """
  }
#endif
