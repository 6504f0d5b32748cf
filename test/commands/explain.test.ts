import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { T1, T2, T3, TIMES } from '../exports/sales/worked-example.ts'
import { bookkeeper } from './bookkeeper.ts'

async function closedDay() {
  const keeper = await bookkeeper()
  keeper.sales([T1, T2, T3])
  const file = join(dirname(keeper.config.file), 'closing.csv')
  const explain = (figures: Record<string, string>, json = false) => {
    const lines = Object.entries(figures).map(([name, amount]) => `${name},${amount}`)
    writeFileSync(file, `figure,amount\n${lines.join('\n')}\n`)
    return keeper.journal({ closing: file, explain: true, dryRun: true }, json)
  }
  const own = async (): Promise<Record<string, string>> => {
    const zero = Object.fromEntries(
      ['net_sales', 'tax', 'total_due', 'tender:cash', 'tender:debit'].map(name => [name, '0.00']),
    )
    const { stdout } = await explain(zero, true)
    const { stores } = JSON.parse(stdout) as {
      stores: { tieOuts: { check: string; actual: string }[] }[]
    }
    const rows = stores[0]!.tieOuts.filter(({ check }) => check.startsWith('closing '))
    return Object.fromEntries(rows.map(({ check, actual }) => [check.slice(8), actual]))
  }
  return { keeper, explain, own }
}

test('a sale that was edited after the report is named with its receipt and what became of it', async () => {
  const { keeper, explain, own } = await closedDay()
  const closing = await own()
  keeper.sales([{ ...T2, modified: TIMES.modified + 1, status: 'Void' }])
  const said = await explain(closing)
  expect(said.status).toBe(3)
  expect(said.stdout).toMatch(/receipt 102: edited after the report: .*total_due -/)
  expect(said.stdout).toMatch(/receipt 102: sale of \S+, which is void and the till counts/)
})

test('a difference that nothing explains is reported, and so is a report that agrees', async () => {
  const { explain, own } = await closedDay()
  const closing = await own()
  expect((await explain(closing)).stdout).toContain('the closing report and the books agree')
  const said = await explain({ ...closing, total_due: '0.01' })
  expect(said.stdout).toContain('nothing of the day makes total_due')
})
