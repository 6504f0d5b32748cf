import type { z } from 'zod'

/** Without what makes it optional or gives it a default. */
export function unwrap(schema: z.ZodType): z.ZodType {
  const { innerType } = schema.def as unknown as { innerType?: z.ZodType }
  return innerType === undefined ? schema : unwrap(innerType)
}

/**
 * A documented field that is null is one that was not sent: it is not stored, and not given back. A
 * field that is not documented is kept as it came.
 */
export function withoutNulls(schema: z.ZodType, value: unknown): unknown {
  const { def } = unwrap(schema) as unknown as { def: Parts }
  if (Array.isArray(value) && def.element !== undefined)
    return value.map(item => withoutNulls(def.element!, item))
  if (def.shape === undefined || !isRecord(value)) return value
  const { shape } = def
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, inner]) => inner !== null || !Object.hasOwn(shape, name))
      .map(([name, inner]) => [
        name,
        Object.hasOwn(shape, name) ? withoutNulls(shape[name]!, inner) : inner,
      ]),
  )
}

/** Of objects and of lists. */
interface Parts {
  shape?: Readonly<Record<string, z.ZodType>>
  element?: z.ZodType
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof File)
