import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sized } from '../../helpers/size.ts'
import { explainRecord } from '../explain-record.ts'
import { sales } from './number-sales.ts'
import { WINDOW_KINDS } from './window-databases.ts'

const digits = (longest: number) => fc.stringMatching(new RegExp(`^[0-9]{1,${longest}}$`))
const whole = digits(30).map(number => number.replace(/^0+(?=\d)/, ''))
/** A number as JSON may spell it: any length, signs, trailing zeros, exponents. */
const numberToken = fc
  .tuple(
    fc.constantFrom('', '-'),
    whole,
    fc.option(digits(30)),
    fc.option(fc.tuple(fc.constantFrom('e', 'E'), fc.constantFrom('', '+', '-'), digits(2))),
  )
  .map(
    ([sign, integerPart, fraction, exponent]) =>
      sign +
      integerPart +
      (fraction === null ? '' : `.${fraction}`) +
      (exponent === null ? '' : exponent.join('')),
  )

describe.each(Object.entries(WINDOW_KINDS))('on %s,', (_, openDatabase) => {
  describe('money', () => {
    it('keeps every digit of a JSON token, as number or as text, in a column, in a line and in raw', async () => {
      const { load, all } = await openDatabase([sales])
      let runs = 0
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.tuple(numberToken, fc.boolean()), { minLength: 20, maxLength: 20 }),
          async tokens => {
            runs++
            const spelled = tokens.map(([token, quoted]) => (quoted ? `"${token}"` : token))
            const records = spelled.map(
              (token, index) =>
                `{"id":"${index}","modified":${runs},"total":${token},` +
                `"cart":{"tax":${token}},"items":[{"price":${token}}]}`,
            )
            expect((await load(sales, [records])).counts).toMatchObject({
              fetched: 20,
              deadLettered: 0,
            })
            const rows = await all(
              `SELECT total, cart_tax, price, s.raw FROM sales s JOIN sale_items ON sale_id = s.id
             ORDER BY CAST(s.id AS INTEGER)`,
            )
            expect(rows).toEqual(
              tokens.map(([token], index) => ({
                total: token,
                cart_tax: token,
                price: token,
                raw: records[index],
              })),
            )
          },
        ),
        { numRuns: sized(6, 500) },
      )
    })

    it('would lose digits through a double', () => {
      expect(
        fc.check(fc.property(numberToken, token => String(Number(token)) === token)).failed,
      ).toBe(true)
    })

    it('takes a text for a decimal only if it is one, by the same rule as the explanation', async () => {
      const { load, all } = await openDatabase([sales])
      // Of what is put together by chance one in twenty is a number.
      const nearly = fc.oneof(
        { arbitrary: fc.stringMatching(/^[-+.0-9eE]{0,6}$/), weight: 3 },
        { arbitrary: numberToken, weight: 1 },
      )
      let id = 0
      await fc.assert(
        fc.asyncProperty(fc.array(nearly, { minLength: 25, maxLength: 25 }), async texts => {
          for (const total of texts) {
            const record = { id: String(id++), total }
            const { deadLettered } = (await load(sales, [[JSON.stringify(record)]])).counts
            expect(deadLettered === 0, total).toBe(explainRecord(sales, record).length === 0)
          }
        }),
        { numRuns: sized(6, 500) },
      )
      expect((await all('SELECT count(*) AS n FROM sales'))[0]!['n']).toBeGreaterThan(10)
      expect((await all('SELECT count(*) AS n FROM dead_letters'))[0]!['n']).toBeGreaterThan(10)
    })

    it.each([
      '""',
      '" 1"',
      '"1,5"',
      '"12.50 USD"',
      '"NaN"',
      '"0x10"',
      'true',
      '[1]',
      '{"amount":1}',
    ])('refuses %s', async total => {
      const { load } = await openDatabase([sales])
      expect((await load(sales, [[`{"id":"a","total":${total}}`]])).counts).toMatchObject({
        inserted: 0,
        deadLettered: 1,
      })
    })
  })

  describe('an integer', () => {
    it('is exact up to 64 bits, and a dead letter beyond or with a fraction', async () => {
      const { load, all } = await openDatabase([sales])
      const numbers = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
      let id = 0
      await fc.assert(
        fc.asyncProperty(fc.array(numbers, { minLength: 20, maxLength: 20 }), async counters => {
          const first = id
          await load(sales, [counters.map(counter => `{"id":"${id++}","counter":${counter}}`)])
          const rows = await all(
            `SELECT CAST(counter AS TEXT) AS counter FROM sales
           WHERE CAST(id AS INTEGER) >= ? ORDER BY CAST(id AS INTEGER)`,
            first,
          )
          expect(rows.map(row => BigInt(row['counter'] as string))).toEqual(counters)
        }),
        { numRuns: sized(15, 300) },
      )
      for (const counter of ['9223372036854775808', '1.5', '"x"', '1e40'])
        expect(
          (await load(sales, [[`{"id":"bad","counter":${counter}}`]])).counts,
          counter,
        ).toMatchObject({
          inserted: 0,
          deadLettered: 1,
        })
      expect((await load(sales, [['{"id":"even","counter":2.0}']])).counts).toMatchObject({
        inserted: 1,
      })
    })
  })
})
