/** The one stylesheet of the console: light and dark, narrow and wide, and on paper. */
export const CONSOLE_STYLE = `
:root { color-scheme: light dark;
  --ink: #18211b; --soft: #4d5a52; --line: #c8d1cb; --ground: #fbfcfb; --shade: #eef3ef;
  --link: #0b5a3c; --good: #14613a; --bad: #9c1c10; --warn: #7a4b00; --busy: #1d4f8f; }
@media (prefers-color-scheme: dark) { :root {
  --ink: #e6ece8; --soft: #a9b6ae; --line: #3b4740; --ground: #141a16; --shade: #1f2822;
  --link: #7fd6a8; --good: #7fd6a8; --bad: #ff9d8f; --warn: #f0c274; --busy: #9cc4ff; } }
* { box-sizing: border-box; }
html { font: 100%/1.5 system-ui, "Segoe UI", "DejaVu Sans", sans-serif; }
body { margin: 0; color: var(--ink); background: var(--ground); overflow-wrap: break-word; }
h1, h2, h3, p, li { overflow-wrap: anywhere; }
a { color: var(--link); text-underline-offset: 0.15em; }
:focus-visible { outline: 3px solid var(--busy); outline-offset: 2px; }
.skip { position: absolute; left: -999rem; }
.skip:focus { position: static; display: inline-block; padding: 0.5rem; }
.hidden, .calendar i { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
header { display: flex; flex-wrap: wrap; gap: 0.25rem 1.5rem; align-items: center;
  justify-content: space-between; padding: 0.5rem 1.25rem; border-bottom: 1px solid var(--line);
  background: var(--shade); }
nav ul { display: flex; flex-wrap: wrap; gap: 0.125rem; margin: 0; padding: 0; list-style: none; }
nav a { display: inline-block; padding: 0.3rem 0.6rem; border-radius: 0.3rem; color: var(--ink);
  text-decoration: none; }
nav a:hover { text-decoration: underline; }
nav a[aria-current] { background: var(--ink); color: var(--ground); }
header form { display: flex; flex-wrap: wrap; gap: 0.6rem; align-items: center; margin: 0;
  color: var(--soft); }
main { max-width: 80rem; margin: 0 auto; padding: 1rem 1.25rem 3rem; }
main:focus { outline: none; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0.5rem 0 0; }
h2 { font-size: 1.15rem; margin: 2rem 0 0.4rem; }
h3 { font-size: 1rem; margin: 1.2rem 0 0.3rem; }
p { margin: 0.4rem 0; max-width: 80ch; }
.lead { font-size: 1.2rem; line-height: 1.4; }
.as-of, .command, .below { color: var(--soft); font-size: 0.875rem; }
.below { display: flex; flex-wrap: wrap; gap: 0.3rem 1.5rem; } .act .below { gap: 0.3rem; }
.command { margin-top: 2.5rem; border-top: 1px solid var(--line); padding-top: 0.6rem; }
code, .id { font: 0.875em/1.5 ui-monospace, "DejaVu Sans Mono", monospace; }
code { overflow-wrap: anywhere; }
.wide { overflow-x: auto; position: relative; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; font-size: 0.8rem; }
table { border-collapse: collapse; font-size: 0.9rem; min-width: min(100%, 30rem); }
th, td { text-align: left; vertical-align: top; padding: 0.3rem 0.9rem 0.3rem 0;
  border-bottom: 1px solid var(--line); }
th { font-weight: 600; color: var(--soft); }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
th.id { font: inherit; font-weight: 600; }
td.id { overflow-wrap: anywhere; min-width: 12ch; }
td.id a { text-underline-offset: 0.3em; }
.status, .time { white-space: nowrap; }
.proven, .done { color: var(--good); } .unproven, .failed, .parked { color: var(--bad); }
.late, .stale { color: var(--warn); } .running { color: var(--busy); }
.never-read, .not-due { color: var(--soft); }
.stores { display: grid; gap: 0.75rem; grid-template-columns: repeat(auto-fill, minmax(min(19rem, 100%), 1fr));
  padding: 0; list-style: none; }
.stores > li { border: 1px solid var(--line); border-radius: 0.4rem; padding: 0.7rem 0.9rem;
  min-width: 0; overflow-wrap: anywhere; }
.stores h3 { margin: 0; } .stores .status { white-space: normal; }
.things { padding-left: 1.1rem; max-width: 90ch; } .things li { margin: 0.4rem 0; }
dl.facts { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 0.2rem 1.25rem; }
dl.facts dt { color: var(--soft); } dl.facts dd { margin: 0; overflow-wrap: anywhere; }
form.filters { display: flex; flex-wrap: wrap; gap: 0.6rem 1rem; align-items: end; margin: 1rem 0; }
input[type="date"], input[type="month"], select { height: 2.25rem; }
label { display: grid; grid-template-columns: minmax(0, 1fr); max-width: 100%; gap: 0.15rem; color: var(--soft); font-size: 0.875rem; }
input, select, textarea, button { font: inherit; color: inherit; background: var(--ground);
  border: 1px solid var(--soft); border-radius: 0.3rem; padding: 0.3rem 0.5rem; min-height: 2rem;
  max-width: 100%; }
button { cursor: pointer; background: var(--shade); }
button.main { background: var(--link); color: var(--ground); border-color: var(--link); }
form.act { border: 1px solid var(--line); border-radius: 0.4rem; padding: 0.8rem 1rem;
  margin: 0.8rem 0; display: grid; gap: 0.6rem; justify-items: start; max-width: 60rem; }
form.act > * { max-width: 100%; min-width: 0; } input[type="file"] { width: 100%; }
form.act label:has(> input[type="text"]) { width: 100%; }
form.act input[type="text"] { width: 100%; max-width: 32rem; }
form.act p { margin: 0; } form.act .fields { display: flex; flex-wrap: wrap; gap: 0.6rem 1rem; }
.calendar { font-size: 0.8rem; min-width: 0; border-collapse: separate; border-spacing: 1px; }
.calendar th, .calendar td { padding: 0; border: 0; text-align: center; min-width: 1.5rem;
  height: 1.6rem; vertical-align: middle; }
.calendar th:first-child { text-align: left; padding-right: 0.6rem; white-space: nowrap; }
.calendar tbody td { background: var(--shade); border-radius: 0.15rem; }
.calendar [colspan] { border-left: 1px solid var(--line); text-align: left; padding-left: 0.2rem;
  white-space: nowrap; }
.calendar td a { display: block; min-width: 1.5rem; min-height: 1.5rem; text-decoration: none;
  color: inherit; }
.month { table-layout: fixed; width: 100%; } .month th, .month td { padding: 0.3rem; }
.month td { border: 1px solid var(--line); height: 4.2rem; overflow-wrap: anywhere; }
.month a { font-weight: 600; }
.old { color: var(--bad); } .new { color: var(--good); } del, ins { text-decoration: none; }
del { text-decoration: line-through; }
.sheet { border: 1px solid var(--line); width: 100%; height: 70vh; }
.signatures { display: none; }
@media (forced-colors: active) { .calendar tbody td { border: 1px solid CanvasText; }
  nav a[aria-current] { forced-color-adjust: none; background: Highlight; color: HighlightText; }
  button.main { forced-color-adjust: none; background: ButtonText; color: ButtonFace; } }
@media (prefers-reduced-motion: no-preference) { .fresh { animation: fresh 1.2s; } }
@keyframes fresh { from { background: var(--shade); } }
@media (max-width: 40rem) {
  main { padding: 0.5rem 0.75rem 2rem; } header { padding: 0.4rem 0.75rem; }
  dl.facts { grid-template-columns: 1fr; gap: 0; } dl.facts dd { margin-bottom: 0.4rem; }
  .month td { height: auto; }
  .wide table:not(.calendar) :is(th, td) { min-width: 6.5rem; }
}
@media print {
  :root { --ink: #000; --soft: #333; --line: #999; --ground: #fff; --shade: #fff;
    --link: #000; --good: #000; --bad: #000; --warn: #000; --busy: #000; }
  @page { margin: 12mm; }
  header, .skip, form.filters, .acts, .below a, .command, #live, #changed { display: none; }
  html { font-size: 10pt; } main { max-width: none; padding: 0; }
  a { text-decoration: none; } .wide { overflow: visible; }
  table { font-size: 8.5pt; line-height: 1.3; } th, td { padding: 0.12rem 0.7rem 0.12rem 0; }
  h2 { margin: 1rem 0 0.2rem; } dl.facts { gap: 0 1.25rem; margin: 0.2rem 0; }
  thead { display: table-header-group; } tr, .stores > li { break-inside: avoid; }
  h2 { break-after: avoid; }
  .calendar { font-size: 6.5pt; border-spacing: 0; } .calendar th, .calendar td,
  .calendar td a { min-width: 0; height: auto; min-height: 0; }
  .calendar tbody td { border: 1px solid var(--line); width: 5.5mm; }
  .signatures { display: flex; gap: 8%; break-inside: avoid; }
  .signatures span { flex: 1; border-top: 1px solid #000; margin-top: 18mm; padding-top: 1mm; }
}
`

/** Three furrows. */
export const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16">
<rect width="16" height="16" rx="3" fill="#14613a"/>
<path d="M3 5q5-2 10 0M3 8.5q5-2 10 0M3 12q5-2 10 0" stroke="#fff" stroke-width="1.4" fill="none"/>
</svg>`
