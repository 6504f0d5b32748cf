import { describe, expect, test } from 'vitest'
import type { AnyCommand, Context } from '../../commands/command.ts'
import { command as datasets } from '../../commands/datasets.ts'
import { command as describeTable } from '../../commands/describe.ts'
import { command as streamList } from '../../commands/streams.ts'
import { streams } from '../../connectors/partner/streams/index.ts'
import { datasetsOf } from '../../exports/datasets.ts'
import { describeTables, tableNames } from '../../exports/dictionary.ts'
import { isStanding } from '../../standing/standing-findings.ts'

async function ask(command: AnyCommand, ...names: string[]): Promise<string> {
  const printed: string[] = []
  const terminal = {
    json: true,
    print: (text: string) => void printed.push(text),
    progress: () => {},
    log: () => {},
  }
  const context = { terminal, signal: new AbortController().signal } as unknown as Context
  expect(await command.run(context, {}, ...names)).toBe(0)
  return printed.join('\n')
}

describe('the data dictionary', () => {
  test('knows every column of every dataset and stream, each with its type and source', () => {
    for (const dataset of datasetsOf(streams)) {
      const [table] = describeTables(dataset.name, streams).filter(({ as }) => as === 'file')
      expect(table!.columns.map(({ name }) => name)).toEqual(
        dataset.columns.map(({ name }) => name),
      )
      for (const { name, source, type } of table!.columns)
        expect([dataset.name, name, source === '', type === '']).toEqual([
          dataset.name,
          name,
          false,
          false,
        ])
    }
    for (const stream of streams)
      expect(describeTables(stream.name, streams).some(({ as }) => as === 'view')).toBe(true)
  })

  test('says what a minus means, and who is a person', () => {
    const [view, file] = describeTables('transactions', streams)
    expect(file!.columns.find(({ name }) => name === 'total_due')).toEqual({
      name: 'total_due',
      type: 'decimal',
      unit: "the store's currency",
      sign: '+ sale, - refund, 0 if not booked',
      source: 'the books',
      person: false,
    })
    expect(view!.columns.find(({ name }) => name === 'cart_total')).toMatchObject({
      source: 'cart.total',
      sign: 'as the API sends it',
    })
    expect(view!.columns.find(({ name }) => name === 'member_id')!.person).toBe(true)
  })

  test('is what describe prints, under every name that is listed', async () => {
    const listed = JSON.parse(await ask(streamList)) as { streams: { name: string }[] }
    const exported = JSON.parse(await ask(datasets)) as { datasets: { name: string }[] }
    expect(tableNames(streams)).toEqual(
      expect.arrayContaining([...listed.streams, ...exported.datasets].map(({ name }) => name)),
    )
    expect(JSON.parse(await ask(describeTable, 'payments'))).toEqual({
      tables: describeTables('payments', streams),
    })
    await expect(ask(describeTable, 'paymnets')).rejects.toThrow('there is no table "paymnets"')
  })
})

describe('a finding', () => {
  const at = (time: string): string => `2026-03-01T${time}:00.000Z`

  test('that newer readings did not show again is over', () => {
    const finding = { code: 'page_cap', lastSeenAt: at('10:00') }
    const read = (lastReadAt: string) => ({ lastReadAt, newestProofAt: lastReadAt, unproven: [] })
    expect(isStanding(finding, read(at('12:00')))).toBe(true)
    expect(isStanding(finding, read('2026-03-03T00:00:00.000Z'))).toBe(false)
  })

  test('about an outage closes once the list is read again, and stays while a window is unproven because of it', () => {
    const finding = { code: 'PARTNER_UNREACHABLE', lastSeenAt: at('10:00') }
    const isOver = (newestProofAt: string, ...reasons: string[]): boolean =>
      !isStanding(finding, {
        lastReadAt: at('10:05'),
        newestProofAt,
        unproven: reasons.map(reason => ({
          status: 'unproven',
          startMs: 0,
          endMs: 1,
          evidence: JSON.stringify({ readAt: at('10:00'), reason }),
        })),
      })
    expect(isOver(at('09:00'))).toBe(false)
    expect(isOver(at('10:05'))).toBe(true)
    expect(isOver(at('10:05'), 'PARTNER_UNREACHABLE')).toBe(false)
    expect(isOver(at('10:05'), 'moving')).toBe(true)
  })
})
