/** Codes of gRPC by which we tell what is wrong; as the SDK's errors have them. */
export const NOT_FOUND = 5
export const PERMISSION_DENIED = 7
export const UNIMPLEMENTED = 12
export const UNAUTHENTICATED = 16

export const codeOf = (error: unknown): unknown => (error as { code?: unknown }).code
