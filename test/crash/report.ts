import { appendFileSync, writeFileSync } from 'node:fs'
import { formatTable } from '../../commands/terminal/table.ts'
import { describeMoment, TROUBLES } from './crash-point.ts'
import type { Disturbed, Expected } from './disturb.ts'

/**
 * Each point on a line: what happened, when, how both runs ended, and whether everything is equal.
 */
export function describeCrashes(
  { undisturbed, leftBehind }: Expected,
  results: readonly Disturbed[],
): string {
  const rows = results.map(({ point, hitAfterMs, first, second, wrong, said }) => [
    point.number ?? '-',
    point.trouble,
    describeMoment(point.moment),
    hitAfterMs === undefined ? 'too late' : `${(hitAfterMs / 1000).toFixed(1)} s`,
    first ?? 'killed',
    second ?? '-',
    wrong.length === 0 ? 'equal' : `NOT EQUAL: ${wrong.join(', ')}; ${said}`,
  ])
  const summary = TROUBLES.map(trouble => {
    const mine = results.filter(({ point }) => point.trouble === trouble)
    return [
      trouble,
      mine.length,
      mine.filter(({ hitAfterMs }) => hitAfterMs !== undefined).length,
      mine.filter(({ wrong }) => wrong.length === 0).length,
    ]
  })
  return [
    `Undisturbed: ${undisturbed.requests} requests, ${undisturbed.commits} commits, ${(undisturbed.tookMs / 1000).toFixed(1)} s.`,
    'Each point: a run with the trouble, the same command again, and what is left behind compared with an undisturbed run:',
    `${Object.entries(leftBehind)
      .map(([name, entries]) => `${name} (${entries.length})`)
      .join(', ')}.`,
    '',
    formatTable(
      ['point', 'trouble', 'at', 'hit after', 'first run', 'second run', 'left behind'],
      rows,
    ),
    '',
    formatTable(['trouble', 'points', 'hit', 'equal'], summary),
    '',
  ].join('\n')
}

/** Printed, and written to the file that `TILLAGE_CRASH_REPORT` names. */
export function publishReport(report: string): void {
  const path = process.env['TILLAGE_CRASH_REPORT']
  if (path !== undefined) writeFileSync(path, report)
  process.stdout.write(`${report}\n`)
}

/** A line as soon as it is known: a full run takes most of an hour. */
export function noteProgress(done: number, of: number, { point, wrong }: Disturbed): void {
  const path = process.env['TILLAGE_CRASH_REPORT']
  if (path === undefined) return
  const where = `point ${point.number}, ${point.trouble}, ${describeMoment(point.moment)}`
  const result = wrong.length === 0 ? 'equal' : `NOT EQUAL: ${wrong.join(', ')}`
  appendFileSync(`${path}.progress`, `${done} of ${of}: ${where}: ${result}\n`)
}
