import { expect } from 'vitest'
import { createPageReader } from '../../../connectors/partner/read-page.ts'
import type { Page } from '../../../connectors/partner/read-page.ts'
import { PartnerError } from '../../../errors.ts'
import { tickets } from '../../reading/list-server.ts'

export const WINDOW = { startMs: 1000, endMs: 2001 }
const readPage = createPageReader(tickets)
export const read = (text: string | Buffer): Page =>
  readPage(Buffer.isBuffer(text) ? text : Buffer.from(text), WINDOW)
export const row = (id: string, modified = 1500): string =>
  `{"id":"${id}","modified":${modified},"created":1200}`
export const SEEN = { id: 'a', modified: 1500, created: 1200, inside: true, times: [1500] }

export function refusalOf(text: string | Buffer): PartnerError {
  try {
    read(text)
  } catch (error) {
    expect(error).toBeInstanceOf(PartnerError)
    return error as PartnerError
  }
  throw new Error('was accepted')
}
