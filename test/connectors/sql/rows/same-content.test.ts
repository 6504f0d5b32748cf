import { expect, it } from 'vitest'
import { sameContent, sameWhereBoth } from '../../../../connectors/sql/rows/same-content.ts'

it('the same content is the same, whatever the order of its keys; other digits are other content', () => {
  expect(
    sameContent('{"b":1.50,"a":[{"y":2,"x":null}]}', '{"a":[{"x":null,"y":2}],"b":1.50}'),
  ).toBe(true)
  expect(sameContent('{"a":1.50}', '{"a":1.5}')).toBe(false)
  expect(sameContent('{"a":12345678901234567890}', '{"a":12345678901234567891}')).toBe(false)
  expect(sameContent('{"a":"1"}', '{"a":1}')).toBe(false)
  expect(sameContent('no JSON', 'no JSON')).toBe(true)
  expect(sameContent('no JSON', '{"a":1}')).toBe(false)
})

it('asked for by its id, a record may carry more or less, and what both carry must be the same', () => {
  expect(
    sameWhereBoth('{"id":"a","total":1.50,"note":null}', '{"id":"a","total":1.50,"extra":{"x":1}}'),
  ).toBe(true)
  expect(sameWhereBoth('{"a":{"x":1,"y":2}}', '{"a":{"x":1}}')).toBe(true)
  expect(sameWhereBoth('{"a":1.5}', '{"a":1.50}')).toBe(false)
  expect(sameWhereBoth('{"a":null}', '{"a":0}')).toBe(false)
  expect(sameWhereBoth('{"lines":[{"q":1},{"q":2}]}', '{"lines":[{"q":1}]}')).toBe(false)
  expect(sameWhereBoth('{"lines":[{"q":1}]}', '{"lines":[{"q":2}]}')).toBe(false)
  expect(sameWhereBoth('{"a":{"x":1}}', '{"a":"text"}')).toBe(false)
})
