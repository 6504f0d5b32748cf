/** The one stylesheet: on a wide screen, on a narrow one, and on paper. */
export const STYLE = `
  :root { --ink: #1b221b; --soft: #55605a; --line: #c9d2cc; --shade: #eef3ef; --alert: #8a1c12; }
  * { box-sizing: border-box; }
  body { font: 14px/1.5 system-ui, "Segoe UI", "DejaVu Sans", sans-serif; color: var(--ink);
    max-width: 1120px; margin: 0 auto; padding: 28px 24px 48px; background: #fff; }
  h1 { font-size: 24px; line-height: 1.25; margin: 0; }
  h2 { font-size: 16px; margin: 28px 0 6px; break-after: avoid; }
  p { margin: 6px 0; max-width: 90ch; }
  header { border-bottom: 2px solid var(--ink); padding-bottom: 8px; margin-bottom: 14px; }
  header p { color: var(--soft); margin: 2px 0 0; }
  .result { font-size: 18px; line-height: 1.4; margin: 12px 0; }
  .needs { border-left: 4px solid var(--alert); padding: 2px 0 2px 14px; margin: 14px 0; }
  .needs h2 { margin: 0; } .needs ul { margin: 4px 0; padding-left: 18px; max-width: 90ch; }
  .needs li::first-letter { text-transform: uppercase; }
  .facts { display: grid; grid-template-columns: max-content 1fr; gap: 3px 18px; margin: 10px 0; }
  .facts dt { color: var(--soft); } .facts dd { margin: 0; overflow-wrap: anywhere; }
  table { border-collapse: collapse; width: 100%; margin: 8px 0; font-size: 12.5px; }
  thead { display: table-header-group; } tr { break-inside: avoid; }
  th, td { border-bottom: 1px solid var(--line); padding: 4px 7px; }
  th, td { text-align: left; vertical-align: top; }
  th { background: var(--shade); font-weight: 600; vertical-align: bottom; }
  .number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
  th.number { white-space: normal; } td.word { white-space: nowrap; }
  .id { font: 10.5px/1.5 ui-monospace, "DejaVu Sans Mono", monospace; color: var(--soft);
    overflow-wrap: anywhere; }
  td.tag { white-space: nowrap; }
  td.id { min-width: 13ch; } th.id { font: inherit; font-weight: 600; color: inherit; }
  section:has(> .signatures) { break-inside: avoid; }
  .old { color: var(--alert); text-decoration: line-through; } .new { color: #14572a; }
  .guarded td { background: #fff8d6; } .stuck td { background: #fdeceb; }
  .signatures { display: flex; flex-wrap: wrap; gap: 0 6%; break-inside: avoid; }
  .signatures span { flex: 1 1 40%; border-top: 1px solid var(--ink); margin-top: 44px;
    padding-top: 3px; color: var(--soft); font-size: 12px; }
  .blank { display: inline-block; min-width: 22ch; border-bottom: 1px solid var(--ink); }
  @media screen and (max-width: 640px) {
    body { padding: 16px 12px 32px; }
    .facts { grid-template-columns: 1fr; gap: 0; } .facts dd { margin: 0 0 6px; }
    table.rows, .rows tbody, .rows tr, .rows td { display: block; width: auto; }
    .rows thead, .rows td:empty { display: none; }
    .rows tr { border-bottom: 1px solid var(--ink); padding: 6px 0; }
    .rows td { border: 0; padding: 1px 0 1px 42%; text-align: left; position: relative;
      min-height: 20px; white-space: normal; }
    .rows td::before { content: attr(data-name); position: absolute; left: 0; width: 40%;
      font: 12.5px/1.5 system-ui, sans-serif; color: var(--soft); }
    .signatures span { flex-basis: 100%; }
  }
  @media print {
    body { max-width: none; padding: 0; font-size: 10.5pt; }
    table { font-size: 8.5pt; } .id { font-size: 7pt; } .result { font-size: 13pt; }
    h1 { font-size: 17pt; } h2 { font-size: 12pt; margin-top: 16pt; }
    th { -webkit-print-color-adjust: exact; print-color-adjust: exact; }
  }
`
