import type { z } from 'zod'

/** The groups of the documentation, in the order of its own list. */
export const GROUPS = [
  'Store',
  'Store inventory',
  'Public inventory',
  'Products',
  'Categories',
  'Brands',
  'Vendors',
  'Members',
  'Loyalty',
  'Purchase orders',
  'Batches',
  'Consumer user',
  'Consumer authentication',
  'Consumer cart',
  'Employees',
  'Regions',
  'Assets',
  'Reconciliations',
  'Consumer order quantity',
  'Webhooks',
  'Company contacts',
  'Payments',
  'Transactions',
  'ACH management',
] as const

export type GroupName = (typeof GROUPS)[number]
export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/**
 * What a request must carry. `store` and `company`: both keys (the developer key says which store;
 * `company` means that the store in it does not count). `consumer`: besides, `cuid` or the token of
 * a login. A name in capitals: a permission of the partner key. Nothing at all: no credentials.
 */
export type Need = 'store' | 'company' | 'consumer' | 'PERFORM_RECONCILIATION'

/** The documented enumeration of webhook types (Events, rule 2). */
export const WEBHOOK_TYPES = [
  'NEW_CONSUMER_ORDER',
  'NEW_CONSUMER_SIGNUP',
  'UPDATE_CONSUMER_ORDER',
  'UPDATE_CONSUMER_USER',
  'NEW_MEMBER',
  'UPDATE_MEMBER',
  'CREATE_TRANSACTION',
  'UPDATE_TRANSACTION',
  'CANCEL_TRANSACTION',
  'COMPLETE_TRANSACTION',
  'UPDATE_PRODUCT',
] as const

export type WebHookType = (typeof WEBHOOK_TYPES)[number]

/**
 * What is sent; in bodies and answers, null is as good as missing. A multipart body has texts and
 * files (`z.file()`).
 */
export type RequestBody =
  | { readonly kind: 'json'; readonly schema: z.ZodType }
  | { readonly kind: 'multipart'; readonly schema: z.ZodObject }

/** `values`: `{limit, skip, total, values}`. `searchResult`: `{count, total, searchResult}`. */
export type Envelope = 'values' | 'searchResult'

/**
 * What a success holds. `page`: a SearchResult of any of the named envelopes, the first one being
 * our reading; `cap` is the documented page cap. `values`: `{values}`, complete. `array`: a bare
 * array. `none`: 200 (or 204) without a body. `headers` are those that carry something of the
 * answer; with `orNone` the record may be missing.
 */
export type AnswerShape =
  | {
      readonly kind: 'record'
      readonly schema: z.ZodType
      readonly headers?: readonly string[]
      readonly orNone?: true
    }
  | {
      readonly kind: 'page'
      readonly of: z.ZodType
      readonly envelopes: readonly Envelope[]
      readonly cap?: number
    }
  | { readonly kind: 'values' | 'array'; readonly of: z.ZodType }
  | { readonly kind: 'none' }
  | { readonly kind: 'binary'; readonly types: readonly string[]; readonly cacheSeconds?: number }
  | { readonly kind: 'html' }

/** One operation of the documentation. */
export interface Operation {
  /** Verb and noun, unique: `getMember`, `listVendors`. */
  readonly id: string
  readonly group: GroupName
  readonly method: Method
  /** As documented, from `/api/v1`; parameters in braces are texts. */
  readonly path: string
  readonly title: string
  readonly query?: z.ZodObject
  readonly body?: RequestBody
  readonly answer: AnswerShape
  readonly needs: readonly Need[]
  /** A GET that changes something. */
  readonly writes?: true
  /**
   * Events that it causes. The documentation does not map them (Events, rule 8): all of these are
   * our reading.
   */
  readonly emits?: readonly WebHookType[]
  /** What the documentation leaves open, and our reading of it: one sentence each. */
  readonly notShown?: readonly string[]
}

type Details = Omit<Operation, 'id' | 'group' | 'method' | 'path' | 'title' | 'needs'> & {
  readonly needs?: readonly Need[]
}

/** An operation in its group's file; the group adds its name and base path. */
export type Sketch = Details & Pick<Operation, 'method' | 'path' | 'title'>

type Sketched<M extends Method, P extends string, D> = {
  readonly method: M
  readonly path: P
  readonly title: string
} & D

const sketch =
  <M extends Method>(method: M) =>
  <const P extends string, const D extends Details>(
    path: P,
    title: string,
    details: D,
  ): Sketched<M, P, D> => ({ method, path, title, ...details })

export const get = sketch('GET')
export const post = sketch('POST')
export const put = sketch('PUT')
export const del = sketch('DELETE')

/**
 * The operations of a group by their id, with their exact types, so that a call can be checked
 * against them.
 */
export type Group<B extends string, T extends Record<string, Sketch>> = {
  readonly [Id in keyof T & string]: Omit<Operation, keyof T[Id] | 'id'> &
    Omit<T[Id], 'path'> & {
      readonly id: Id
      readonly path: `${B}${T[Id]['path']}`
      readonly needs: readonly Need[]
    }
}

export function group<const B extends string, const T extends Record<string, Sketch>>(
  name: GroupName,
  base: B,
  sketches: T,
): Group<B, T> {
  return Object.fromEntries(
    Object.entries(sketches).map(([id, operation]) => [
      id,
      { needs: ['store'], ...operation, id, group: name, path: `${base}${operation.path}` },
    ]),
  ) as unknown as Group<B, T>
}

/** The parameters in a path: `/members/{memberId}` has `memberId`. */
export type PathParameter<P extends string> = P extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathParameter<Rest>
  : never

export const pathParameters = (path: string): string[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)
