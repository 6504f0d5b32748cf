/** What a page knows about itself. `total` is missing where the API does not tell. */
export interface Page {
  count: number
  offset: number
  limit: number
  total: number | undefined
}

/**
 * What stands before and after the rows: the documented wrappers (Resources, Conventions) and what
 * else public clients have met.
 */
export const envelopes = {
  values: (page: Page): [string, string] => [
    '{"values":[',
    `],"skip":${page.offset},"limit":${page.limit}${total(page)}}`,
  ],
  'values-only': (): [string, string] => ['{"values":[', ']}'],
  'search-result': (page: Page): [string, string] => [
    `{"count":${page.count}${total(page)},"searchResult":[`,
    ']}',
  ],
  results: (page: Page): [string, string] => [
    `{"count":${page.count},"cursor":"${page.offset + page.count}","results":[`,
    ']}',
  ],
  array: (): [string, string] => ['[', ']'],
} as const

export type EnvelopeName = keyof typeof envelopes

const total = (page: Page): string => (page.total === undefined ? '' : `,"total":${page.total}`)
