import type { Kysely } from 'kysely'
import type { Schema } from './schema.ts'

export interface KnownFact {
  /** Empty: of the store as a whole. */
  stream: string
  name: string
  value: string
  evidence: string
  /** ISO, UTC. */
  seenAt: string
}

/** What is known of how a store's API behaves. */
export async function readBehaviours(db: Kysely<Schema>, store: string): Promise<KnownFact[]> {
  const rows = await db.selectFrom('behaviours').selectAll().where('store_id', '=', store).execute()
  return rows.map(({ stream, fact, value, evidence, seen_at }) => ({
    stream,
    name: fact,
    value,
    evidence,
    seenAt: seen_at,
  }))
}

/** The name of the offset parameter where only one of the two documented ones counts, by stream. */
export async function readOffsets(
  db: Kysely<Schema>,
  store: string,
): Promise<Record<string, 'start' | 'skip'>> {
  const facts = await readBehaviours(db, store)
  return Object.fromEntries(
    facts.flatMap(({ stream, name, value }) =>
      name === 'offset parameter' && (value === 'start' || value === 'skip')
        ? [[stream, value] as const]
        : [],
    ),
  )
}

/** Replaces what was known. A fact that could not be found out again keeps its earlier value. */
export async function keepBehaviours(
  db: Kysely<Schema>,
  store: string,
  facts: readonly KnownFact[],
): Promise<void> {
  await db.transaction().execute(async transaction => {
    for (const { stream, name, value, evidence, seenAt } of facts) {
      const row = { value, evidence, seen_at: seenAt }
      await transaction
        .insertInto('behaviours')
        .values({ store_id: store, stream, fact: name, ...row })
        .onConflict(conflict =>
          value === 'unknown'
            ? conflict.doNothing()
            : conflict.columns(['store_id', 'stream', 'fact']).doUpdateSet(row),
        )
        .execute()
    }
  })
}
