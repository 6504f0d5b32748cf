import { localMinute } from '../calendar/clock.ts'
import { fromIso } from '../calendar/days.ts'
import { signatures, writeDocument } from '../documents/document.ts'
import { html } from '../documents/html.ts'
import type { Html } from '../documents/html.ts'
import type { Room, Snapshot, SnapshotLine } from './snapshot.ts'

/** So many lines that one can write on stand on a sheet of Letter or A4. */
const LINES_A_SHEET = 20
/** For what is found and stands on no line. */
const LEAST_BLANK = 2

/** Eight, of which four are for writing; the tag is for who wants to compare it. */
const COLUMNS = [
  { name: 'Line', width: 6 },
  { name: 'Product', width: 30 },
  { name: 'Lot', width: 11 },
  { name: 'Unit', width: 7 },
  { name: 'Counted', width: 11 },
  { name: 'Recounted', width: 11 },
  { name: 'Reason, note', width: 13 },
  { name: 'Package tag', width: 11 },
] as const

/** Widths stand here: a policy that names a stylesheet by its hash allows no others. */
const STYLE = `
  .sheet { break-after: page; margin-bottom: 40px; } .sheet:last-child { break-after: auto; }
  .sheet header { margin: 0 0 6px; padding-bottom: 4px; }
  .sheet header h1 { display: flex; justify-content: space-between; font-size: 19px; }
  .who { display: flex; flex-wrap: wrap; gap: 4px 18px; margin: 12px 0 4px; }
  .who span { white-space: nowrap; }
  .paper { table-layout: fixed; margin: 6px 0 2px; width: calc(100% - 1px); }
  @media screen { .sheet { overflow-x: auto; } .paper { min-width: 620px; } }
  .paper td { height: 8mm; padding: 1px 5px; vertical-align: middle; overflow: hidden; }
  .paper td, .paper th { border: 1px solid #8b968e; }
  .paper td div { max-height: 2.6em; line-height: 1.3; overflow: hidden; }
  .paper .id { font-size: 6.5pt; line-height: 1.15; min-width: 0; padding: 1px 3px; }
  .reasons { font-size: 8.5pt; color: var(--soft); margin: 4px 0 0; }
  .sheet .signatures span { margin-top: 30px; }
  ${COLUMNS.map(({ width }, at) => `.paper col:nth-child(${at + 1}) { width: ${width}%; }`).join(' ')}
`

/**
 * The count sheets to print and write on with a pen: the lines of each room, blind, with room for
 * what is found. Who counted and when stands once on each sheet. What was written is then typed
 * into the CSV file or the workbook, by the number of the line.
 */
export function paperSheets(snapshot: Snapshot, reasons: readonly string[]): string {
  const head = {
    title: 'Count sheet',
    number: snapshot.sheet,
    of: [snapshot.storeName ?? snapshot.store, snapshot.storeLicense ?? ''].filter(Boolean),
    style: STYLE,
  }
  const sheets = snapshot.rooms.flatMap(room => {
    const lines = snapshot.lines.filter(({ inventoryId }) => inventoryId === room.id)
    const pages = pagesOf(lines)
    return pages.map((page, at) =>
      oneSheet(snapshot, { room, lines: page, page: `page ${at + 1} of ${pages.length}`, reasons }),
    )
  })
  return writeDocument(head, sheets)
}

/** A room where nothing should be has a sheet, too: for what is found there. */
function pagesOf(lines: readonly SnapshotLine[]): SnapshotLine[][] {
  const pages: SnapshotLine[][] = []
  for (let at = 0; at < lines.length; at += LINES_A_SHEET)
    pages.push(lines.slice(at, at + LINES_A_SHEET))
  const last = pages.at(-1)
  if (last === undefined || last.length > LINES_A_SHEET - LEAST_BLANK) pages.push([])
  return pages
}

interface Sheet {
  room: Room
  lines: readonly SnapshotLine[]
  /** Of the room: `page 1 of 2`. */
  page: string
  reasons: readonly string[]
}

function oneSheet(snapshot: Snapshot, { room, lines, page, reasons }: Sheet): Html {
  const { storeName, store, storeLicense, sheet, audit, startedAt, timeZone } = snapshot
  const whose = [storeName ?? store, storeLicense ?? '', sheet].filter(Boolean).join(' · ')
  const blank = html`<span class="blank"></span>`
  return html`<section class="sheet">
    <header>
      <h1><span>${room.name}</span><span>${page}</span></h1>
      <p>${whose}</p>
      <p>Audit ${audit}, snapshot of ${localMinute(fromIso(startedAt), timeZone)}</p>
    </header>
    <div class="who">
      <span>Counted by ${blank}</span><span>Day and time ${blank}</span>
      <span>Recounted by ${blank}</span>
    </div>
    ${lines.length === 0 ? html`<p>For what is found here and is on no line:</p>` : ''}
    ${sheetTable(lines)}
    <p class="reasons">
      Nothing there: write 0. Not counted: leave it empty. Found and on no line: write product,
      package tag and room. Adjustment reasons: ${reasons.join(', ')}.
    </p>
    ${signatures(['Counter', 'Second counter'])}
  </section>`
}

function sheetTable(lines: readonly SnapshotLine[]): Html {
  const head = COLUMNS.map(({ name }) => html`<th>${name}</th>`)
  const empty =
    lines.length === 0 ? LINES_A_SHEET / 2 : Math.min(LEAST_BLANK, LINES_A_SHEET - lines.length)
  const blank = Array.from(
    { length: empty },
    () =>
      html`<tr>
        ${COLUMNS.map(() => html`<td></td>`)}
      </tr>`,
  )
  return html`<table class="paper">
    <colgroup>
      ${COLUMNS.map(() => html`<col />`)}
    </colgroup>
    <thead>
      <tr>
        ${head}
      </tr>
    </thead>
    <tbody>
      ${lines.map(lineRow)} ${blank}
    </tbody>
  </table>`
}

const lineRow = (line: SnapshotLine): Html =>
  html`<tr>
    <td>${line.lineId}</td>
    <td><div>${line.product}</div></td>
    <td><div>${line.batchSku}</div></td>
    <td>${line.unit}</td>
    <td></td>
    <td></td>
    <td></td>
    <td class="id">${line.packageTag}</td>
  </tr>`
