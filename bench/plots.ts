/** The two plots of the page as SVG: what stands in the tables, to be seen at once. */
import type { Governed, Run } from './regimes.ts'
import type { Results } from './report.ts'
import type { Second } from './server.ts'

const WIDTH = 720
const INK = '#333'
const OURS = '#2a7f4f'
const THEIRS = '#9aa5b1'
const REFUSED = '#c0392b'

const LABEL_WIDTH = 220
const BAR_HEIGHT = 22
const BAR_GAP = 8

/** Records a second of each run, as bars. */
export function plotDuel({ plain, slow, many }: Results): string {
  const bars = [
    ...plain.map(run => toBar(run, '')),
    ...slow.map(run => toBar(run, ', 50 ms a page')),
    ...many.map(run => toBar(run, `, ${run.records.toLocaleString('en-US')} records`)),
  ]
  const most = Math.max(...bars.map(({ perSecond }) => perSecond))
  const drawn = bars.map((bar, at) => drawBar(bar, at * (BAR_HEIGHT + BAR_GAP), most))
  return svg(bars.length * (BAR_HEIGHT + BAR_GAP), 'Records a second', drawn)
}

interface Bar {
  label: string
  perSecond: number
  color: string
}

const toBar = ({ contender, records, wallSeconds }: Run, situation: string): Bar => ({
  label: `${contender}${situation}`,
  perSecond: records / wallSeconds,
  color: contender === 'Tillage' ? OURS : THEIRS,
})

function drawBar({ label, perSecond, color }: Bar, top: number, most: number): string {
  const length = ((WIDTH - LABEL_WIDTH - 80) * perSecond) / most
  const middle = top + BAR_HEIGHT * 0.7
  const value = Math.round(perSecond).toLocaleString('en-US')
  return [
    text(LABEL_WIDTH - 8, middle, label, 'end'),
    `<rect x="${LABEL_WIDTH}" y="${top}" width="${length.toFixed(1)}" height="${BAR_HEIGHT}" fill="${color}"/>`,
    text(LABEL_WIDTH + length + 6, middle, value, 'start'),
  ].join('\n')
}

const PLOT_HEIGHT = 240
const LEFT = 40
const BOTTOM = 24

/** The limit, what was answered and what was refused in each second. */
export function plotGovernor({ seconds }: Governed): string {
  const most = Math.max(...seconds.map(({ limit, answered }) => Math.max(limit, answered)))
  const first = seconds[0]!.at
  const length = Math.max(1, seconds.at(-1)!.at - first)
  const x = (at: number): number => LEFT + ((WIDTH - LEFT - 10) * (at - first)) / length
  const y = (value: number): number => (PLOT_HEIGHT - BOTTOM) * (1 - value / most)
  const line = (of: (second: Second) => number, color: string, dashes: string): string =>
    `<polyline fill="none" stroke="${color}" stroke-width="2" stroke-dasharray="${dashes}" ` +
    `points="${seconds.map(second => `${x(second.at).toFixed(1)},${y(of(second)).toFixed(1)}`).join(' ')}"/>`
  return svg(PLOT_HEIGHT, 'Requests a second: limit (dashed), answered, refused (red)', [
    line(({ limit }) => limit, INK, '6 4'),
    line(({ answered }) => answered, OURS, ''),
    line(({ refused }) => refused, REFUSED, ''),
    text(LEFT - 6, y(most) + 12, String(most), 'end'),
    text(LEFT - 6, y(0), '0', 'end'),
    text(WIDTH - 10, PLOT_HEIGHT - 4, `${length} s`, 'end'),
  ])
}

const text = (x: number, y: number, content: string, anchor: 'start' | 'end'): string =>
  `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="${anchor}" fill="${INK}">${content}</text>`

const TITLE_HEIGHT = 30

function svg(height: number, title: string, content: readonly string[]): string {
  const whole = height + TITLE_HEIGHT
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${whole}" width="${WIDTH}" height="${whole}" font-family="sans-serif" font-size="12">
<rect width="${WIDTH}" height="${whole}" fill="#fff"/>
${text(10, 18, title, 'start')}
<g transform="translate(0 ${TITLE_HEIGHT})">
${content.join('\n')}
</g>
</svg>
`
}
