import { describe, expect, it } from 'vitest'
import { startReading } from '../../reading/reading.ts'
import { endpointOf, read, ticketsOf } from './list-server.ts'
import type { Read } from './list-server.ts'
import { readFrom, slice, ids } from './lying-server.ts'

describe('a server that breaks off', () => {
  it('is read again where a page in the middle is empty once, and then proven', async () => {
    const list = ticketsOf(23)
    let dropped = false
    const { verdict, loaded } = await readFrom(({ offset }) => {
      if (offset < 8 || offset > 12 || dropped) return { values: slice(list, offset), total: 23 }
      dropped = true
      return { values: [], total: 23 }
    })
    expect(verdict.status).toBe('proven')
    expect(loaded).toEqual(ids(list))
  })

  it('stays unproven where a page in the middle is always empty', async () => {
    const list = ticketsOf(23)
    const { verdict, findings, reading } = await readFrom(({ offset }) => ({
      values: offset >= 6 && offset <= 12 ? [] : slice(list, offset),
      total: 23,
    }))
    expect(verdict).toMatchObject({ status: 'unproven' })
    expect(['empty_page', 'total_above_rows']).toContain(findings[0])
    expect(reading.requests).toBeLessThan(100)
  })

  it('goes on with the pages that it has after a failed attempt', async () => {
    const list = ticketsOf(40)
    let request = 0
    const endpoint = await endpointOf(query =>
      ++request === 5
        ? 'not a list'
        : { values: slice(list, Number(query.get('skip'))), total: 40 },
    )
    const reading = startReading('reading')
    await expect(read(endpoint, reading)).rejects.toMatchObject({ code: 'PARTNER_ENVELOPE' })
    const before = reading.requests
    const { verdict, loaded } = await read(endpoint, reading)
    expect(verdict).toMatchObject({ status: 'proven', by: 'one pass, total and seams' })
    expect(loaded).toEqual(ids(list))
    expect(reading.requests - before).toBeLessThan(before + 7)
  })

  it.each(['[]', 'null'])(
    'is not taken for an empty window where it fails under 200 beside a list that is %s',
    async list => {
      const readBeside = async (beside: string): Promise<Read> =>
        read(await endpointOf(() => Buffer.from(`{${beside}"values":${list},"total":0}`)))
      await expect(
        readBeside('"errorType":"partner.exceptions.InternalException","message":"failed",'),
      ).rejects.toMatchObject({ code: 'PARTNER_ERROR_BODY' })
      const { verdict } = await readBeside('"error":false,')
      expect(verdict.status).toBe('proven')
    },
  )

  it('is read on where the pages behind the last row leave their list away, and the next has rows', async () => {
    let list = ticketsOf(0)
    const endpoint = await endpointOf(query => {
      const values = slice(list, Number(query.get('skip')))
      return { skip: 0, limit: 100, total: list.length, ...(values.length > 0 ? { values } : {}) }
    })
    for (const length of [0, 7, 0]) {
      list = ticketsOf(length)
      const { verdict, loaded } = await read(endpoint)
      expect(verdict.status).toBe('proven')
      expect(loaded).toEqual(ids(list))
    }
  })

  it('is not taken for an empty window where it leaves its list away beside a total above 0', async () => {
    const endpoint = await endpointOf(() => ({ skip: 0, limit: 100, total: 3 }))
    await expect(read(endpoint)).rejects.toMatchObject({ code: 'PARTNER_ENVELOPE' })
  })

  it('is not trusted where its envelope changes between pages', async () => {
    const list = ticketsOf(23)
    let request = 0
    const endpoint = await endpointOf(
      () =>
        request++ === 0
          ? { values: slice(list, 0), total: 23 }
          : { searchResult: slice(list, 4), total: 23 },
      { concurrency: 1 },
    )
    await expect(read(endpoint)).rejects.toMatchObject({ code: 'PARTNER_ENVELOPE' })
  })

  it('costs the window that meets a new envelope, and is read as it is now by the next', async () => {
    const list = ticketsOf(7)
    let field = 'values'
    const endpoint = await endpointOf(query => ({
      [field]: slice(list, Number(query.get('skip'))),
      total: 7,
    }))
    expect((await read(endpoint)).verdict).toMatchObject({ status: 'proven' })
    field = 'searchResult'
    await expect(read(endpoint)).rejects.toMatchObject({ code: 'PARTNER_ENVELOPE' })
    const { verdict, loaded } = await read(endpoint)
    expect(verdict).toMatchObject({ status: 'proven' })
    expect(loaded).toEqual(ids(list))
  })

  it('never mixes two envelopes in one window, whatever others learn of the list meanwhile', async () => {
    const list = ticketsOf(23)
    let request = 0
    const endpoint = await endpointOf(
      query => {
        endpoint.envelope = undefined
        const field = request++ % 2 === 0 ? 'values' : 'searchResult'
        return { [field]: slice(list, Number(query.get('skip'))), total: 23 }
      },
      { concurrency: 1 },
    )
    await expect(read(endpoint)).rejects.toMatchObject({ code: 'PARTNER_ENVELOPE' })
  })
})
