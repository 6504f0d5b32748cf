import { expect, it } from 'vitest'
import { PUBLISHED_FORMATS } from '../../exports/revisions/manifest.ts'
import { contentTypeOf } from '../../objects/content-type.ts'
import { PLAN_FORMATS } from '../../push/plan/plan.ts'

it('every format that is given out says what it is, but for the one that has no type', () => {
  const named = [...PUBLISHED_FORMATS, ...PLAN_FORMATS, 'json'].map(format => `a.b_r0.${format}`)
  const unknown = named.filter(name => contentTypeOf(name) === 'application/octet-stream')
  expect(unknown).toEqual(['a.b_r0.iif'])
  expect(contentTypeOf('folder.csv/name')).toBe('application/octet-stream')
})
