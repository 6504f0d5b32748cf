/** Codes of gRPC by which we tell what is wrong; as the SDK's errors have them. */
export const DEADLINE_EXCEEDED = 4
export const NOT_FOUND = 5
export const PERMISSION_DENIED = 7
export const RESOURCE_EXHAUSTED = 8
export const UNAVAILABLE = 14
export const UNAUTHENTICATED = 16

export const codeOf = (error: unknown): unknown => (error as { code?: unknown }).code
