import { expect, it } from 'vitest'
import { isWholeNumber, wholeNumber } from '../../connectors/cells.ts'

it.each([
  ['1.0E16', '10000000000000000'],
  ['9007199254740994.0', '9007199254740994'],
  ['90071992547409940e-1', '9007199254740994'],
  [' +9007199254740993 ', '9007199254740993'],
  ['.0000000000000000001e35', '10000000000000000'],
  ['9223372036854775807', '9223372036854775807'],
  ['-9223372036854775808', '-9223372036854775808'],
  ['-7.00', '-7'],
  ['0e999', '0'],
])('a whole number that is spelled %s is %s, digit by digit', (spelled, exact) => {
  expect(isWholeNumber(spelled)).toBe(true)
  expect(String(wholeNumber(spelled))).toBe(exact)
})

it.each([
  '9007199254740993.0',
  '9.223372036854775807e18',
  '9007199254740993.5',
  '9223372036854775808',
  '1e19',
  '1e400',
  '1e99999999999',
  '',
  'x',
])('is no whole number of 64 bits whose digits a double keeps: %s', spelled => {
  expect(isWholeNumber(spelled)).toBe(false)
})
