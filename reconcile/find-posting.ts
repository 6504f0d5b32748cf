import { reconciliationHistory } from '../audit/lists.ts'
import type { StoreApi } from '../audit/store-api.ts'
import { isMarkedDeleted, textOf } from '../text/record-fields.ts'
import type { Fields } from '../text/record-fields.ts'
import { hasToken } from './note.ts'

/** A room's posting, as the history would show it. */
export interface SoughtPosting {
  token: string
  inventoryId: string
}

export type FoundPosting =
  | { kind: 'found'; record: Fields }
  | { kind: 'absent' }
  /** The token stands there, and not as this posting would have it. */
  | { kind: 'odd'; why: string }

export const readHistory = (api: StoreApi): Promise<Fields[]> => api.readList(reconciliationHistory)

/** What a whole history shows of a posting. Records of others say nothing of it. Pure. */
export function findPosting(history: readonly Fields[], sought: SoughtPosting): FoundPosting {
  const named = history.filter(({ note }) => hasToken(note, sought.token))
  const whole = named.filter(record => oddityOf(record, sought) === undefined)
  const [record] = whole
  const ids = new Set(whole.map(one => one['id']))
  if (ids.size > 1)
    return { kind: 'odd', why: `the history shows it ${ids.size} times: ${[...ids].join(', ')}` }
  if (record !== undefined) return { kind: 'found', record }
  const why = named.map(one => oddityOf(one, sought)).join('; ')
  return why === '' ? { kind: 'absent' } : { kind: 'odd', why }
}

/** Why a record with the token is not the posting; what the API leaves out speaks for it. */
function oddityOf(record: Fields, { inventoryId }: SoughtPosting): string | undefined {
  const room = textOf(record['inventoryId'])
  const id = textOf(record['id']) ?? 'without id'
  if (room !== undefined && room !== inventoryId)
    return `reconciliation ${id} has its token, and is of another room (${room})`
  return isMarkedDeleted(record)
    ? `reconciliation ${id} has its token, and was deleted since`
    : undefined
}
