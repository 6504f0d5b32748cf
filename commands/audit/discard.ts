import { describeDiscard, discardAudit } from '../../audit/discard.ts'
import { seal } from '../../audit/folder.ts'
import type { Context } from '../command.ts'
import { withOutbound } from '../plans/with-outbound.ts'
import { openAudit } from './audit-store.ts'
import type { WordOptions } from './discrepancy.ts'

/** `tillage audit discard AUDIT`: nobody counts it to its end. Its folder stays as it is. */
export async function auditDiscard(
  { config, terminal }: Context,
  { by, reason, store }: WordOptions,
  audit: string,
): Promise<number> {
  const folder = openAudit(config, audit, store)
  const discard = discardAudit(folder, { by, reason, nowMs: Date.now() })
  const manifest = await withOutbound(config, log => seal(log, folder))
  terminal.print(
    terminal.json
      ? JSON.stringify({ ...discard, manifest })
      : `${folder.audit}: ${describeDiscard(discard)}. Its files stay, and the next audit is ` +
          'rolled forward from it as before.',
  )
  return 0
}
