import { expect, it } from 'vitest'
import { parseStoreInfo } from '../../../connectors/partner/store-info.ts'

const answer = (shop: object): string => JSON.stringify({ shop: { name: 'Harbor', ...shop } })

it('whose shop answers is known by the digits, where ids are numbers', () => {
  const asNumbers = parseStoreInfo(answer({ id: 42, companyId: 7 }))
  expect(asNumbers).toMatchObject({ shopId: '42', companyId: '7' })
  expect(asNumbers).toEqual(parseStoreInfo(answer({ id: '42', companyId: '7' })))
})

it.each([{ id: 4.5 }, { id: 2 ** 53 }, { companyId: {} }])(
  'what is no id is no store: %j',
  shop => {
    expect(() => parseStoreInfo(answer(shop))).toThrow('answered something other than the store')
  },
)
