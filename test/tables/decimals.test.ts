import fc from 'fast-check'
import { expect, it } from 'vitest'
import { explainComma, findDecimalStyle, withPoint } from '../../tables/decimals.ts'

const whole = fc.integer({ min: 0, max: 999_999 })
const places = fc.array(fc.constantFrom(...'0123456789'), { minLength: 1, maxLength: 2 })
const decimals = fc.array(
  fc.tuple(whole, places).map(([left, right]) => `${left}.${right.join('')}`),
  { minLength: 1, maxLength: 8 },
)

it('decimals read the same, whether the file writes them with a point or with a comma', () => {
  fc.assert(
    fc.property(decimals, cells => {
      const commas = cells.map(cell => cell.replace('.', ','))
      const style = findDecimalStyle(commas, ';')
      expect(style).toBe('comma')
      expect(commas.map(cell => withPoint(cell, style))).toEqual(cells)
      const points = findDecimalStyle(cells, ';')
      expect(cells.map(cell => withPoint(cell, points))).toEqual(cells)
    }),
  )
})

it('no cell ever becomes another number than one that it may be read as', () => {
  const cell = fc.array(fc.constantFrom(...'0129.,'), { maxLength: 8 }).map(all => all.join(''))
  fc.assert(
    fc.property(fc.array(cell), fc.constantFrom(',', ';', '\t', undefined), (cells, separator) => {
      const style = findDecimalStyle(cells, separator)
      for (const one of cells)
        expect([one, /^\d+,\d+$/.test(one) ? one.replace(',', '.') : one]).toContain(
          withPoint(one, style),
        )
    }),
  )
})

it.each([
  ['a comma separates the columns', ['12,50'], ',' as const],
  ['the file is a workbook', ['12,50'], undefined],
  ['another cell has a point', ['12,50', '3.5'], ';' as const],
])('a comma is no decimal comma where %s', (_, cells, separator) => {
  const style = findDecimalStyle(cells, separator)
  expect(style).toBe('point')
  expect(withPoint('12,50', style)).toBe('12,50')
})

it('a comma that may part thousands is said with both readings, unless another cell shows it', () => {
  const unclear = findDecimalStyle(['1,234', '7'], ';')
  expect(explainComma('1,234', unclear)).toContain('1,234 may be 1.234 or 1234')
  expect(explainComma('7', unclear)).toBeUndefined()
  for (const shown of ['12,5', '0,123', '1234,567']) {
    const style = findDecimalStyle(['1,234', shown], ';')
    expect(explainComma('1,234', style)).toBeUndefined()
    expect(withPoint('1,234', style)).toBe('1.234')
  }
})
