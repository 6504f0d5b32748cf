import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { createSeries } from '../../metrics/series.ts'

const read = (name: string): string =>
  readFileSync(new URL(`../../docs/${name}`, import.meta.url), 'utf8')

/** Names as a page of ours has them, and those that a histogram makes of one. */
async function servedNames(): Promise<Set<string>> {
  const page = await createSeries().page()
  return new Set(
    [...page.matchAll(/^# TYPE (\S+) (\S+)$/gm)].flatMap(([, name, type]) =>
      type === 'histogram' ? [name!, `${name!}_bucket`, `${name!}_count`] : [name!],
    ),
  )
}
const namesIn = (text: string): string[] => [...text.matchAll(/\btillage_\w+/g)].map(([all]) => all)

test.each(['monitoring.md', 'monitoring/alerts.yml', 'monitoring/dashboard.json'])(
  'docs/%s names only series that the program serves',
  async file => {
    const served = await servedNames()
    const named = namesIn(read(file))
    expect(named.length).toBeGreaterThan(5)
    expect(named.filter(name => !served.has(name))).toEqual([])
    expect(['tillage_no_such_thing'].filter(name => !served.has(name))).toHaveLength(1)
  },
)

test('the page on monitoring names every series', async () => {
  const page = read('monitoring.md')
  const all = [...(await servedNames())].filter(name => !/_(bucket|count)$/.test(name))
  expect(all.filter(name => !page.includes(`\`${name}\``))).toEqual([])
})

test('the rules are rules, and the dashboard has a query in each panel', () => {
  const rules = parse(read('monitoring/alerts.yml')) as {
    groups: { rules: { alert: string; expr: string }[] }[]
  }
  for (const { alert, expr } of rules.groups[0]!.rules) {
    expect(alert).toMatch(/^Tillage[A-Z]\w+$/)
    expect(namesIn(expr).length).toBeGreaterThan(0)
  }
  const { panels } = JSON.parse(read('monitoring/dashboard.json')) as {
    panels: { targets: { expr: string }[] }[]
  }
  for (const { targets } of panels) expect(namesIn(targets[0]!.expr).length).toBeGreaterThan(0)
})
