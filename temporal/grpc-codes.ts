/** Codes of gRPC by which we tell what is wrong; as the SDK's errors have them. */
export const DEADLINE_EXCEEDED = 4
export const NOT_FOUND = 5
export const PERMISSION_DENIED = 7
export const RESOURCE_EXHAUSTED = 8
export const UNAVAILABLE = 14
export const UNAUTHENTICATED = 16

/**
 * What the SDK's client throws where a server could not do what it was asked for: its own error, or
 * that of gRPC as it came, which is of no class of the SDK. Told without loading either.
 */
export const isOfServer = (error: unknown): error is Error =>
  error instanceof Error && (error.name === 'ServiceError' || 'metadata' in error)

export const codeOf = (error: unknown): unknown => (error as { code?: unknown }).code
