import { DatabaseError } from '../../errors.ts'
import type { Facts } from '../destination/outbound.ts'

/** Facts as they stand in their column. */
export function parseFacts(text: string): Facts {
  try {
    const facts: unknown = JSON.parse(text)
    if (typeof facts === 'object' && facts !== null) return facts as Facts
  } catch {
    // Said below.
  }
  throw new DatabaseError('DATABASE_BROKEN', 'facts of a plan in the database are no JSON', {
    remedy: 'Somebody has changed the database by hand. Restore a backup: tillage restore.',
  })
}
