import { z } from 'zod'

const SECRETS = z.registry<{ isSecret: true }>()

/**
 * Declares in the schema of the settings that nobody else may know a value: a key, a password, an
 * address that works for whoever has it. Such a value is cut out of every text (`secrets.ts`), is
 * no part of the hashes of settings, and is not kept beside a backup. It is the last thing said of
 * a value: `secret(z.string().min(1)).optional()`.
 */
export function secret<Schema extends z.ZodType>(schema: Schema): Schema {
  SECRETS.add(schema, { isSecret: true })
  return schema
}

/** Whether this very schema was declared as a secret. */
export const isSecret = (schema: z.core.$ZodType): boolean => SECRETS.has(schema)
