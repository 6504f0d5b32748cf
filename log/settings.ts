import { z } from 'zod'
import { mustBeOneOf } from '../names.ts'

const FORMATS = ['text', 'json'] as const
export const LEVELS = ['error', 'warning', 'info', 'debug'] as const
export type Level = (typeof LEVELS)[number]

/** What `up` and `worker` say while they run. */
export const logSettings = z.strictObject({
  format: z.enum(FORMATS, { error: mustBeOneOf(FORMATS) }).default('text'),
  /** This and worse; `debug` has a line for each window. */
  level: z.enum(LEVELS, { error: mustBeOneOf(LEVELS) }).default('info'),
  /** Instead of the terminal. Opened for each line, so that it can be moved away at any time. */
  file: z.string().min(1).optional(),
})

export type LogSettings = z.infer<typeof logSettings>
