/** What a page knows about itself. `total` is missing where the API does not tell. */
export interface Page {
  rows: readonly string[]
  offset: number
  limit: number
  total: number | undefined
}

/** The documented wrappers (Resources, Conventions) and what else public clients have met. */
export const envelopes = {
  'values': (page: Page): string => `{"values":[${page.rows.join(',')}],"skip":${page.offset},"limit":${page.limit}${total(page)}}`,
  'values-only': (page: Page): string => `{"values":[${page.rows.join(',')}]}`,
  'search-result': (page: Page): string => `{"count":${page.rows.length}${total(page)},"searchResult":[${page.rows.join(',')}]}`,
  'results': (page: Page): string => `{"count":${page.rows.length},"cursor":"${page.offset + page.rows.length}","results":[${page.rows.join(',')}]}`,
  'array': (page: Page): string => `[${page.rows.join(',')}]`,
} as const

export type EnvelopeName = keyof typeof envelopes

const total = (page: Page): string => (page.total === undefined ? '' : `,"total":${page.total}`)
