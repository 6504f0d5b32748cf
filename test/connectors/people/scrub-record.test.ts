import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { streams } from '../../../connectors/partner/streams/index.ts'
import { FORGOTTEN, scrubRecord } from '../../../connectors/people/scrub-record.ts'
import { PERSONAL_FIELDS } from '../../../connectors/personal-fields.ts'

const forget = (json: string, ...ids: string[]): string | undefined =>
  scrubRecord(json, id => ids.includes(id))

it('every field that a stream declares as a person is one that is left out', () => {
  const declared = streams.flatMap(({ columns, children }) =>
    [columns, ...Object.values(children).map(child => child.columns)]
      .flatMap(all => Object.values(all))
      .filter(({ privacy }) => privacy === 'person')
      .map(({ path }) => path.split('.').at(-1)!),
  )
  expect(declared.filter(name => !PERSONAL_FIELDS.has(name))).toEqual([])
})

describe('a record without a forgotten person', () => {
  it('has no id of theirs, no field and no object that shows them, and every digit that it had', () => {
    const sale =
      '{"id":"T1","memberId":"M1","cart":{"total":12.50,"points":1e2,"items":[{"id":"I1","price":0.10}]},' +
      '"memo":"for Ada","member":{"id":"M1","firstName":"Ada"},"deliveryAddress":{"city":"X"},' +
      '"seenBy":["M1","E1"],"memberName":"Ada","sellerId":"E1","n":12345678901234567890}'
    expect(forget(sale, 'M1')).toBe(
      '{"id":"T1","memberId":"forgotten","cart":{"total":12.50,"points":1e2,"items":[{"id":"I1","price":0.10}]},' +
        '"seenBy":["forgotten","E1"],"sellerId":"E1","n":12345678901234567890}',
    )
  })

  it('is nothing where the record is theirs, and the same letter for letter where they are not in it', () => {
    expect(forget('{"id":"M1","firstName":"Ada"}', 'M1')).toBeUndefined()
    expect(forget('{"id":17,"firstName":"Ada"}', '17')).toBeUndefined()
    const other = '{"id": "M10",  "firstName":"Ada","n":1.0}'
    expect(forget(other, 'M1', '0')).toBe(other)
  })

  it('finds an id that is a number, and takes none out of amounts', () => {
    expect(forget('{"id":"T1","memberId":17,"total":17}', '17')).toBe(
      '{"id":"T1","memberId":"forgotten","total":17}',
    )
  })

  it('never holds an id of theirs, wherever it stood, and forgetting twice changes nothing more', () => {
    const leaf = fc.oneof(fc.constantFrom('M1', 'x', 'Ada'), fc.integer(), fc.boolean())
    const { record } = fc.letrec<{ record: object; value: unknown }>(tie => ({
      value: fc.oneof(
        { depthSize: 'small' },
        leaf,
        tie('record'),
        fc.array(tie('value'), { maxLength: 3 }),
      ),
      record: fc.dictionary(
        fc.constantFrom('id', 'memberId', 'member', 'items', 'total', 'firstName', 'a'),
        tie('value'),
        { maxKeys: 5 },
      ),
    }))
    fc.assert(
      fc.property(record, one => {
        const scrubbed = forget(JSON.stringify(one), 'M1')
        if (scrubbed === undefined) return
        expect(scrubbed).not.toContain('"M1"')
        expect(forget(scrubbed, 'M1')).toBe(scrubbed)
        if (scrubbed.includes(FORGOTTEN)) expect(scrubbed).not.toContain('"firstName":"Ada"')
      }),
    )
  })
})
