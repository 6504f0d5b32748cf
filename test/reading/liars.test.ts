import { describe, expect, it } from 'vitest'
import { defineStream, text } from '../../connectors/stream.ts'
import { Refused, endpointOf, read, tickets, ticketsOf } from './list-server.ts'
import { LIMIT, readFrom, slice, ids } from './lying-server.ts'
import type { Answer } from './lying-server.ts'
import { createRandom } from './moving-list.ts'

describe('a server that gives its own page sizes', () => {
  it.each([0, 1, 2, 3, 4, 5, 6, 9, 10, 13, 20, 25])(
    'is proven in one pass where it is honest, with %i rows',
    async count => {
      const list = ticketsOf(count)
      const { verdict, loaded, findings, reading } = await readFrom(({ offset }) => ({
        values: slice(list, offset),
        total: count,
      }))
      expect(verdict).toMatchObject({
        status: 'proven',
        by: 'one pass, total and seams',
        findings: [],
      })
      expect(loaded).toEqual(ids(list))
      expect(findings).toEqual([])
      expect(reading.requests).toBeLessThanOrEqual(Math.ceil(count / (LIMIT - 1)) + 2)
    },
  )

  it.each([2, 3, 4])(
    'is proven where it caps pages at %i rows, and the cap is a finding',
    async cap => {
      const list = ticketsOf(17)
      const { verdict, loaded, findings } = await readFrom(({ offset }) => ({
        values: slice(list, offset, cap),
        total: 17,
      }))
      expect(verdict).toMatchObject({ status: 'proven', by: 'one pass, total and seams' })
      expect(loaded).toEqual(ids(list))
      expect(findings).toEqual(['page_cap'])
    },
  )

  it('is proven where each page holds a single row, which leaves no seam', async () => {
    const list = ticketsOf(9)
    const { verdict, loaded } = await readFrom(({ offset }) => ({
      values: slice(list, offset, 1),
      total: 9,
    }))
    expect(verdict).toMatchObject({ status: 'proven', by: 'two passes and total' })
    expect(loaded).toEqual(ids(list))
  })

  it.each([
    [1, LIMIT, 400],
    [1, LIMIT, 404],
    [2, LIMIT, 400],
    [4, 1, 422],
  ])(
    'is proven where it refuses offsets beyond the end: %i rows, %i a page, %i',
    async (count, cap, status) => {
      const list = ticketsOf(count)
      const endpoint = await endpointOf(query => {
        const offset = Number(query.get('skip'))
        if (offset > 0 && offset >= count) return new Refused(status)
        return { values: slice(list, offset, cap), total: count }
      })
      const { verdict, loaded } = await read(endpoint)
      expect(verdict.status).toBe('proven')
      expect(loaded).toEqual(ids(list))
    },
  )

  it('is not believed to have ended where the refused row is one of its total', async () => {
    const endpoint = await endpointOf(query =>
      Number(query.get('skip')) > 0
        ? new Refused(400)
        : { values: slice(ticketsOf(2), 0, 1), total: 2 },
    )
    await expect(read(endpoint)).rejects.toMatchObject({ code: 'PARTNER_REFUSED' })
  })

  it('is proven where pages are short at random, by advancing over rows received', async () => {
    const list = ticketsOf(23)
    const { int } = createRandom(7)
    const { verdict, loaded } = await readFrom(({ offset }) => ({
      values: slice(list, offset, int(2, LIMIT)),
      total: 23,
    }))
    expect(verdict.status).toBe('proven')
    expect(loaded).toEqual(ids(list))
  })

  it('stays unproven where pages are short at random and no total tells the end', async () => {
    const list = ticketsOf(9)
    const sizes: Record<number, number> = { 0: 3, 2: LIMIT, 6: 1 }
    const { verdict, loaded } = await readFrom(
      ({ offset }) => ({ values: slice(list, offset, sizes[offset] ?? 1) }),
      1,
    )
    expect(loaded.size).toBeLessThan(9)
    expect(verdict.status).toBe('unproven')
  })

  it('never loses a row where it slices first and leaves rows out of the slice afterwards', async () => {
    const list = ticketsOf(23)
    const shown = list.filter((_, index) => index % 4 !== 1)
    for (const total of [shown.length, list.length, undefined]) {
      const { verdict, loaded } = await readFrom(({ offset }) => ({
        values: slice(list, offset).filter(row => shown.includes(row)),
        ...(total === undefined ? {} : { total }),
      }))
      if (verdict.status === 'proven') expect(loaded).toEqual(ids(shown))
    }
  })

  it('is proven where it gives more rows than asked, and that is a finding', async () => {
    const list = ticketsOf(23)
    const { verdict, loaded, findings } = await readFrom(({ offset }) => ({
      values: slice(list, offset, 8),
      total: 23,
    }))
    expect(verdict.status).toBe('proven')
    expect(loaded).toEqual(ids(list))
    expect(findings).toContain('page_over_limit')
  })
})

describe('a server that lies about its total', () => {
  it('is proven without any by two passes, and that is a finding', async () => {
    const list = ticketsOf(13)
    const { verdict, loaded, findings } = await readFrom(({ offset }) => ({
      values: slice(list, offset),
    }))
    expect(verdict).toMatchObject({ status: 'proven', by: 'two passes and seams' })
    expect(loaded).toEqual(ids(list))
    expect(findings).toEqual(['total_missing'])
  })

  it('may leave it out of lists that the documentation shows whole', async () => {
    const list = ticketsOf(3)
    const answer = (query: URLSearchParams): Answer => ({
      values: slice(list, Number(query.get('skip') ?? 0)),
    })
    const { verdict, findings } = await read(
      await endpointOf(answer, { stream: { ...tickets, answers: 'complete' } }),
    )
    expect(verdict).toMatchObject({ status: 'proven' })
    expect(findings).toEqual([])
    expect((await read(await endpointOf(answer))).findings).toEqual(['total_missing'])
  })

  it.each(['13', 13])('is believed where it writes its total as %j', async total => {
    const list = ticketsOf(13)
    const { verdict, findings } = await readFrom(({ offset }) => ({
      values: slice(list, offset),
      total,
    }))
    expect(verdict).toMatchObject({ status: 'proven', by: 'one pass, total and seams' })
    expect(findings).toEqual([])
  })

  it.each([1, 5, 1000])(
    'stays unproven where the total is always too high by %i: rows may be hidden',
    async excess => {
      const list = ticketsOf(13)
      const { verdict, loaded, findings, reading } = await readFrom(({ offset }) => ({
        values: slice(list, offset),
        total: 13 + excess,
      }))
      expect(verdict).toMatchObject({ status: 'unproven', reason: 'total_above_rows' })
      expect(loaded).toEqual(ids(list))
      expect(findings).toEqual(['total_above_rows', 'total_wrong'])
      expect(reading.requests).toBeLessThan(60)
    },
  )

  it.each([0, 5, 12])(
    'is proven by two passes where the total is always too low (%i of 13)',
    async total => {
      const list = ticketsOf(13)
      const { verdict, loaded, findings } = await readFrom(({ offset }) => ({
        values: slice(list, offset),
        total,
      }))
      expect(verdict).toMatchObject({ status: 'proven', by: 'two passes and seams' })
      expect(loaded).toEqual(ids(list))
      expect(findings).toContain('total_wrong')
    },
  )

  it('is not proven by one pass where the total moves', async () => {
    const list = ticketsOf(13)
    const { verdict, loaded, findings } = await readFrom(({ offset, request }) => ({
      values: slice(list, offset),
      total: 13 + (request % 3),
    }))
    expect(verdict).not.toMatchObject({ by: 'one pass, total and seams' })
    expect(loaded).toEqual(ids(list))
    expect(findings).toContain('total_moves')
  })
})

describe('a server that has its own idea of offsets', () => {
  it.each(['skip', 'start'])('is read whole where it knows %s only', async known => {
    const list = ticketsOf(23)
    const endpoint = await endpointOf(query => ({
      values: slice(list, Number(query.get(known) ?? 0)),
      total: 23,
    }))
    const { verdict, loaded, findings } = await read(endpoint)
    expect(verdict).toMatchObject({ status: 'proven', by: 'one pass, total and seams' })
    expect(loaded).toEqual(ids(list))
    expect(endpoint.offsetParameter).toBe(known)
    expect(findings).toEqual(known === 'skip' ? [] : ['offset_parameter'])
  })

  it('is read whole where it knows start only and several windows find that out at once', async () => {
    const list = ticketsOf(23)
    const endpoint = await endpointOf(query => ({
      values: slice(list, Number(query.get('start') ?? 0)),
      total: 23,
    }))
    const reads = await Promise.all(Array.from({ length: 4 }, () => read(endpoint)))
    for (const { verdict, loaded } of reads) {
      expect(verdict).toMatchObject({ status: 'proven' })
      expect(loaded).toEqual(ids(list))
    }
    expect(endpoint.offsetParameter).toBe('start')
  })

  it('stays unproven where it ignores both names and has more rows than a page', async () => {
    const list = ticketsOf(23)
    const { verdict, findings, reading } = await readFrom(() => ({
      values: list.slice(0, LIMIT),
      total: 23,
    }))
    expect(verdict).toMatchObject({ status: 'unproven', reason: 'offset_ignored' })
    expect(findings).toContain('offset_ignored')
    expect(reading.requests).toBeLessThan(20)
  })

  it.each([
    ['"next"', 'ignores skip; tried start; its answers carry a cursor, which is not followed'],
    ['""', 'ignores skip; tried start'],
    ['null', 'ignores skip; tried start'],
  ])(
    'says that its answers carry a cursor, where it ignores both names: %s',
    async (cursor, detail) => {
      const results = JSON.stringify(ticketsOf(23).slice(0, LIMIT))
      const answer = Buffer.from(`{"count":23,"cursor":${cursor},"results":${results}}`)
      const { verdict, reading } = await read(await endpointOf(() => answer))
      expect(verdict).toMatchObject({ status: 'unproven', reason: 'offset_ignored' })
      expect(reading.findings.get('offset_parameter')).toBe(detail)
    },
  )

  it.each([23, undefined])(
    'stays unproven where it answers its last page beyond the end, total %s, after few requests',
    async total => {
      const list = ticketsOf(23)
      const { verdict, loaded, reading } = await readFrom(({ offset }) => ({
        values: slice(list, Math.min(offset, list.length - LIMIT)),
        total,
      }))
      expect(verdict).toMatchObject({ status: 'unproven', reason: 'repeated_ids' })
      expect(loaded).toEqual(ids(list))
      expect(reading.requests).toBeLessThan(80)
    },
  )

  it('stays unproven where it ignores both names, gives no total, and fills the page', async () => {
    const { verdict } = await readFrom(() => ({ values: ticketsOf(LIMIT) }))
    expect(verdict).toMatchObject({ status: 'unproven', reason: 'offset_ignored' })
  })

  it('is proven where it ignores both names and has fewer rows than a page, by its own total', async () => {
    const list = ticketsOf(3)
    const { verdict, loaded } = await readFrom(() => ({ values: list, total: 3 }))
    expect(verdict).toMatchObject({
      status: 'proven',
      by: 'two whole answers and total',
      findings: ['offset_ignored'],
    })
    expect(loaded).toEqual(ids(list))
  })

  it.each([true, false])(
    'is not taken for one that ignores offsets because a new row pushed the only one behind (total given: %s)',
    async total => {
      let list = ticketsOf(1)
      const endpoint = await endpointOf(query => {
        const answer = {
          values: slice(list, Number(query.get('skip') ?? 0)),
          ...(total ? { total: list.length } : {}),
        }
        list = [{ id: 'new', modified: 1950 }, ...ticketsOf(1)]
        return answer
      })
      const { verdict, loaded, findings } = await read(endpoint)
      expect(verdict).toMatchObject({ status: 'proven' })
      expect(loaded).toEqual(ids(list))
      expect(findings).toEqual(total ? [] : ['total_missing'])
      expect(endpoint.offsetParameter).toBe('skip')
    },
  )
})

describe('records without an id', () => {
  const named = defineStream({
    ...tickets,
    columns: { ...tickets.columns, ...text('name') },
    key: ['name'],
  })
  const cities = [
    { name: 'City', rate: 1 },
    { name: 'City', rate: 2 },
    { name: 'State', rate: 3 },
  ]

  it.each([true, false])(
    'are not proven where two of them agree in what stands in for one (offsets known: %s)',
    async knowsOffsets => {
      const answer =
        (rows: unknown[]) =>
        (query: URLSearchParams): unknown => ({
          values: rows.slice(knowsOffsets ? Number(query.get('skip') ?? 0) : 0),
          total: rows.length,
        })
      expect(
        (await read(await endpointOf(answer(cities), { stream: named }))).verdict,
      ).toMatchObject({ status: 'unproven', reason: 'repeated_ids' })
      expect(
        (await read(await endpointOf(answer(cities.slice(1)), { stream: named }))).verdict,
      ).toMatchObject({ status: 'proven' })
    },
  )
})

describe('a server that answers bytes that are no UTF-8', () => {
  it('is proven, with a finding that letters are lost; without such bytes there is none', async () => {
    const answer = (name: string) => (query: URLSearchParams) => {
      const values = ticketsOf(7).slice(Number(query.get('skip')), Number(query.get('skip')) + 5)
      const named = values.map(ticket => ({ ...ticket, name }))
      return Buffer.from(JSON.stringify({ values: named, total: 7 }), 'latin1')
    }
    const odd = await read(await endpointOf(answer('caf\xe9')))
    expect(odd.verdict).toMatchObject({ status: 'proven' })
    expect(odd.findings).toEqual(['text_unreadable'])
    expect((await read(await endpointOf(answer('cafe')))).findings).toEqual([])
  })
})

describe('a server that shows the wrong rows', () => {
  it('is proven where one id comes twice, if two passes show the same list and the total counts it', async () => {
    const list = ticketsOf(13)
    list.splice(7, 0, { ...list[2]! })
    const { verdict, loaded, findings } = await readFrom(({ offset }) => ({
      values: slice(list, offset),
      total: 14,
    }))
    expect(verdict).toMatchObject({ status: 'proven', by: 'two equal lists and total' })
    expect(loaded).toEqual(ids(list))
    expect(findings).toContain('repeated_ids')
  })

  it('stays unproven where one id comes twice and the total counts it once', async () => {
    const list = ticketsOf(13)
    list.splice(7, 0, { ...list[2]! })
    const { verdict, findings } = await readFrom(({ offset }) => ({
      values: slice(list, offset),
      total: 13,
    }))
    expect(verdict).toMatchObject({ status: 'unproven', reason: 'repeated_ids' })
    expect(findings).toContain('repeated_ids')
  })

  it('stays unproven where a row lies outside the window by every time that it carries', async () => {
    const list = [...ticketsOf(7), { id: 'stranger', modified: 500 }]
    const { verdict, findings } = await readFrom(({ offset }) => ({
      values: slice(list, offset),
      total: 8,
    }))
    expect(verdict).toMatchObject({ status: 'unproven', reason: 'outside_window' })
    expect(findings).toContain('outside_window')
  })

  it('is proven where a row lies outside by modified and inside by another of its times', async () => {
    const list = [...ticketsOf(7), { id: 'completed', modified: 900, completedTime: 1500 }]
    expect(
      (await readFrom(({ offset }) => ({ values: slice(list, offset), total: 8 }))).verdict.status,
    ).toBe('proven')
  })
})
