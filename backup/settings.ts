import { z } from 'zod'
import { clock, every, jitterMinutes } from '../schedules/rules/settings.ts'

/** The `backup:` section of tillage.yaml: copies that are made without anybody; absent: none. */
export const backupSettings = z.strictObject({
  every: every.default('daily'),
  /** On the clock of the first store; nights and upkeep are usually over by then. */
  at: clock.default('07:30'),
  /** A folder; another disk is better. It has to be there, since a disk may not be mounted. */
  to: z.string().min(1, 'is empty'),
  /** So many of the newest stay. */
  keep: z.int().min(1).max(1000).default(14),
  /** Also copies exports and plans, not only their hashes. */
  files: z.boolean().default(false),
  jitterMinutes,
})

export type BackupSettings = z.infer<typeof backupSettings>
