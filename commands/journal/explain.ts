import type { Cause } from '../../exports/journal/causes.ts'
import type { Explanation } from '../../exports/journal/explain-closing.ts'
import { countOf } from '../terminal/number.ts'
import { oneLine } from '../terminal/printable.ts'

/** What a day's report may differ by; undefined: there was no report to compare with. */
export interface ExplainedDay {
  store: string
  explanation: Explanation | undefined
}

const MOST_SHOWN = 10

/** What makes the difference, and what nothing of the day makes. */
export function describeExplanation({ store, explanation }: ExplainedDay): string {
  if (explanation === undefined)
    return `  ${store}: nothing to explain without a closing report: --closing FILE`
  const { whole, parts, unexplained } = explanation
  if (whole.length + parts.length + unexplained.length === 0)
    return `  ${store}: the closing report and the books agree`
  const lines = [
    ...(whole.length === 0 ? [] : describeWhole(store, whole)),
    ...parts.flatMap(({ figures, causes }) => [
      `  ${store}: this makes ${figures.join(', ')}${causes.length === 1 ? '' : ', each by itself'}:`,
      ...atMost(causes.map(cause => `    ${describeCause(cause)}`)),
    ]),
    ...(unexplained.length === 0
      ? []
      : [
          `  ${store}: nothing of the day makes ${unexplained.join(', ')}: no transaction, edit, ` +
            'tip, cash back or other tender, and no two of them',
        ]),
  ]
  return lines.join('\n')
}

function describeWhole(store: string, whole: readonly Cause[][]): string[] {
  const together = whole[0]!.length === 1 ? '' : ' together'
  const heading =
    whole.length === 1
      ? `  ${store}: this makes all of it${together}:`
      : `  ${store}: any of these ${whole.length} makes all of it${together}:`
  return [heading, ...atMost(whole.map(causes => `    ${causes.map(describeCause).join(' and ')}`))]
}

const atMost = (lines: readonly string[]): string[] =>
  lines.length <= MOST_SHOWN
    ? [...lines]
    : [
        ...lines.slice(0, MOST_SHOWN),
        `    and ${countOf(lines.length - MOST_SHOWN, 'other')}; all of them: --json`,
      ]

const describeCause = ({ transNo, transactionId, what }: Cause): string =>
  oneLine(
    `${transNo === undefined ? `transaction ${transactionId}` : `receipt ${transNo}`}: ${what}`,
  )

/** As `journal --explain --json` answers. */
export const explanationAsJson = ({ store, explanation }: ExplainedDay): object => ({
  store,
  whole: explanation?.whole.map(causes => causes.map(causeAsJson)) ?? [],
  parts:
    explanation?.parts.map(({ figures, causes }) => ({
      figures,
      causes: causes.map(causeAsJson),
    })) ?? [],
  unexplained: explanation?.unexplained ?? [],
})

const causeAsJson = ({ kind, transactionId, transNo, what }: Cause): object => ({
  kind,
  transactionId,
  transNo: transNo ?? null,
  what,
})
