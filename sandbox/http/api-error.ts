/**
 * A refusal as the API words it: field, message, errorType (Errors, rule 1). Status codes are a
 * reading: the documentation shows none.
 */
export class ApiError extends Error {
  readonly status: number
  readonly field: string
  readonly errorType: string

  constructor(status: number, field: string, message: string, errorType?: string) {
    super(message)
    this.name = 'ApiError'
    this.status = status
    this.field = field
    this.errorType = errorType ?? ERROR_TYPES[status] ?? 'partner.exceptions.ServerException'
  }
}

/** Reading: "a dotted exception-style name"; the set of values is not shown. */
const ERROR_TYPES: Readonly<Record<number, string>> = {
  400: 'partner.exceptions.InvalidArgumentException',
  401: 'partner.exceptions.UnauthorizedException',
  403: 'partner.exceptions.ForbiddenException',
  404: 'partner.exceptions.NotFoundException',
  405: 'partner.exceptions.MethodNotAllowedException',
  415: 'partner.exceptions.UnsupportedMediaTypeException',
  429: 'partner.exceptions.TooManyRequestsException',
  503: 'partner.exceptions.UnavailableException',
}

/**
 * One object, a list of such objects (Errors, rule 6: not shown which), or what public clients of
 * this API family report.
 */
export type ErrorShape = 'object' | 'list' | 'message'

export function errorBody(error: ApiError, shape: ErrorShape, status = error.status): string {
  if (shape === 'message')
    return JSON.stringify({ error: error.errorType, message: error.message, status })
  const one = { field: error.field, message: error.message, errorType: error.errorType }
  return JSON.stringify(shape === 'list' ? [one] : one)
}

export const invalid = (field: string, message: string): ApiError =>
  new ApiError(400, field, message)
export const notFound = (field: string, message: string): ApiError =>
  new ApiError(404, field, message)
