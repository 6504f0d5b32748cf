import type { z } from 'zod'
import { buildRequest } from '../../connectors/partner/build-request.ts'
import type { ParameterValue } from '../../connectors/partner/build-request.ts'
import { readValue } from '../../connectors/partner/call.ts'
import { operation, operations } from '../../connectors/partner/contract/index.ts'
import type { OperationId } from '../../connectors/partner/contract/index.ts'
import { pathParameters } from '../../connectors/partner/contract/operation.ts'
import type { Operation } from '../../connectors/partner/contract/operation.ts'
import type { PartnerAnswer } from '../../connectors/partner/request.ts'
import { judge, refusalProblems } from './judge.ts'
import type { Problem } from './judge.ts'
import type { Target } from './target.ts'

type Row = Record<string, unknown>
type Parameters = Record<string, ParameterValue>

const DAY_MS = 86_400_000

/** Every operation that changes nothing. */
export const reads: readonly Operation[] = operations.filter(
  ({ method, writes }) => method === 'GET' && writes !== true,
)

/** Where an id, or something else to search for, comes from: a field of the records of a list. */
export const SOURCES: Readonly<Record<string, readonly [OperationId, (row: Row) => unknown]>> = {
  ...ids('listProducts', 'productId'),
  ...ids('listCategories', 'categoryId', 'id'),
  ...ids('listVendors', 'vendorId'),
  ...ids('listInventoryBrands', 'brandId'),
  ...ids('listMembers', 'memberId', 'consumerMemberId'),
  ...ids('listPromotions', 'promotionId'),
  ...ids('listPurchaseOrders', 'purchaseOrderId'),
  ...ids('listEmployees', 'employeeId', 'currentEmployeeId', 'assignedEmployeeId', 'sellerId'),
  ...ids('listRegions', 'regionId', 'overrideRegionId'),
  ...ids('listReconciliations', 'reconciliationId'),
  ...ids('listWebHooks', 'webHookId'),
  ...ids('searchCompanyContacts', 'contactId'),
  ...ids('listTransactions', 'transactionId'),
  ...ids('listTerminals', 'terminalId'),
  ...ids('listInventories', 'inventoryId', 'fromInventoryId', 'toInventoryId'),
  ...ids('listBatches', 'batchId', 'fromBatchId', 'toBatchId'),
  ...ids('listCarts', 'consumerCartId'),
  ...ids('listAchAccounts', 'shopACHAccountId'),
  sku: ['listProducts', row => row['sku']],
  assetKey: ['listProducts', row => (row['assets'] as Row[] | null | undefined)?.[0]?.['key']],
  email: ['listMembers', row => row['email']],
  consumerEmail: ['getConsumerUser', row => row['email']],
  recNo: ['getConsumerUser', row => row['recNo']],
  consumerAssetKey: ['getConsumerUser', row => (row['dlPhoto'] as Row | null | undefined)?.['key']],
  dob: ['listMembers', row => row['dob']],
  phone: ['listMembers', row => row['primaryPhone']],
  cuid: ['listMembers', row => row['consumerUserId']],
  consumerUserId: ['listMembers', row => row['consumerUserId']],
  licenseNumber: [
    'listMembers',
    row => (row['identifications'] as Row[] | null | undefined)?.[0]?.['licenseNumber'],
  ],
  promocode: ['listPromotions', row => (row['promoCodes'] as unknown[] | null | undefined)?.[0]],
  publicKey: ['listCarts', row => row['publicKey']],
  orderItemId: [
    'listCarts',
    row =>
      ((row['cart'] as Row | null | undefined)?.['items'] as Row[] | undefined)?.[0]?.[
        'orderItemId'
      ],
  ],
}

function ids(
  list: OperationId,
  ...names: string[]
): Record<string, readonly [OperationId, (row: Row) => unknown]> {
  return Object.fromEntries(
    names.map(name => [name, [list, (row: Row): unknown => row['id']] as const]),
  )
}

/** What a search needs although it is not documented as required, and where that comes from. */
const ASKED: Readonly<Partial<Record<OperationId, Readonly<Record<string, string>>>>> = {
  getLoyaltyPoints: { memberId: 'memberId' },
  findConsumer: { email: 'consumerEmail' },
  getActiveCart: { cuid: 'cuid' },
  verifyConsumerUser: { recNo: 'recNo' },
  getConsumerAsset: { assetKey: 'consumerAssetKey' },
}
const PLACE = { lat: 34.05, long: -118.24 }

/** The last days before `nowMs`, as the operation takes dates. */
export function datesOf({ query }: Operation, nowMs: number, days: number): Parameters {
  const { startDate } = (query?.shape ?? {}) as Record<
    string,
    { def: { innerType: { type: string } } }
  >
  if (startDate === undefined) return {}
  if (startDate.def.innerType.type === 'number')
    return { startDate: nowMs - days * DAY_MS, endDate: nowMs }
  const day = (ms: number): string =>
    new Date(ms).toISOString().replace(/^(\d+)-(\d+)-(\d+).*/s, '$2/$3/$1')
  return { startDate: day(nowMs - days * DAY_MS), endDate: day(nowMs) }
}

/** Asks a target for everything that can be read, and remembers the lists. */
export class Reader {
  readonly problems: Problem[] = []
  /** Operations that could not be asked, for there is no id to ask with. */
  readonly notAsked: string[] = []
  readonly #target: Target
  readonly #lists = new Map<string, Promise<Row[]>>()

  constructor(target: Target) {
    this.#target = target
  }

  /** Every value that a list offers under this name: real ids, if there are any. */
  async values(name: string): Promise<readonly (string | number)[]> {
    const [list, pick] = SOURCES[name] ?? []
    if (list === undefined || pick === undefined) return []
    if (!this.#lists.has(list)) this.#lists.set(list, this.read(operation(list)))
    const rows = await this.#lists.get(list)!
    return rows
      .map(pick)
      .filter(
        (value): value is string | number =>
          (typeof value === 'string' && value !== '') || typeof value === 'number',
      )
  }

  /**
   * Parameters that an operation needs, taken from the lists; undefined where there is nothing to
   * ask for.
   */
  async parametersOf(
    asked: Operation,
  ): Promise<{ parameters: Parameters; cuid: string | undefined } | undefined> {
    const query = (asked.query?.shape ?? {}) as Record<string, z.ZodType>
    const required = Object.keys(query).filter(name => !query[name]!.safeParse(undefined).success)
    const sources = {
      ...Object.fromEntries([...pathParameters(asked.path), ...required].map(name => [name, name])),
      ...ASKED[asked.id as OperationId],
    }
    const find = async ([name, source]: [string, string]): Promise<[string, ParameterValue]> => [
      name,
      name === 'days' ? 3 : (await this.values(source))[0],
    ]
    const found = await Promise.all(Object.entries(sources).map(find))
    const cuid = asked.needs.includes('consumer') ? (await this.values('cuid'))[0] : undefined
    if (
      found.some(([, value]) => value === undefined) ||
      (asked.needs.includes('consumer') && cuid === undefined)
    )
      return undefined
    const place = 'lat' in query ? PLACE : {}
    return {
      parameters: {
        ...place,
        ...datesOf(asked, this.#target.nowMs, 6),
        ...Object.fromEntries(found),
      },
      cuid: cuid === undefined ? undefined : String(cuid),
    }
  }

  /**
   * The records of an operation, with a page more where it has pages; what is not as documented
   * goes to `problems`.
   */
  async read(asked: Operation): Promise<Row[]> {
    const given = await this.parametersOf(asked)
    if (given === undefined) {
      this.notAsked.push(asked.id)
      return []
    }
    const rows = await this.#ask(asked, given.parameters, given.cuid)
    const [name = ''] = pathParameters(asked.path)
    const id = asked.answer.kind === 'record' ? rows[0]?.['id'] : undefined
    if (id !== undefined && isOwnId(name) && id !== given.parameters[name])
      this.#add(asked, 'by id', 'another id than was asked for')
    const offset = ['start', 'skip'].find(name => name in (asked.query?.shape ?? {}))
    if (offset !== undefined && rows.length > 2)
      await this.#readPages(asked, offset, given.parameters, given.cuid)
    return rows
  }

  async #readPages(
    asked: Operation,
    offset: string,
    parameters: Parameters,
    cuid: string | undefined,
  ): Promise<void> {
    const [first, second] = await Promise.all(
      [0, 2].map(from => this.#ask(asked, { ...parameters, [offset]: from, limit: 2 }, cuid)),
    )
    if (first!.length > 2 || second!.length > 2) this.#add(asked, 'limit=2', 'more rows than limit')
    const seen = new Set<unknown>(first!.map(({ id }) => id))
    if (second!.some(({ id }) => id !== undefined && seen.has(id)))
      this.#add(asked, `${offset}=2`, 'rows of the page before')
  }

  async #ask(asked: Operation, parameters: Parameters, cuid: string | undefined): Promise<Row[]> {
    const answer = await this.#target.client.send(
      buildRequest(asked, { parameters, ...(cuid === undefined ? {} : { consumer: { cuid } }) }),
    )
    const shown = 'limit' in parameters ? 'limit=2' : Object.keys(parameters).join(', ')
    if (answer.status !== 200) {
      // Whether a search that finds nothing is a 404 is not shown.
      this.problems.push(
        ...refusalProblems(answer).map((found): Problem => ({
          operation: asked.id,
          asked: shown,
          found,
          against: 'documentation',
        })),
      )
      this.#add(
        asked,
        shown,
        `status ${answer.status}`,
        answer.status === 404 && pathParameters(asked.path).length === 0
          ? 'reading'
          : 'documentation',
      )
      return []
    }
    this.problems.push(...judge(asked, shown, answer))
    return rowsOf(asked, answer)
  }

  #add(
    asked: Operation,
    shown: string,
    found: string,
    against: Problem['against'] = 'documentation',
  ): void {
    this.problems.push({ operation: asked.id, asked: shown, found, against })
  }
}

/** Whether the parameter is the id of a record itself, not something else about it. */
const isOwnId = (name: string): boolean => SOURCES[name]?.[1]({ id: 'own' }) === 'own'

function rowsOf({ answer: shape, id }: Operation, answer: PartnerAnswer): Row[] {
  try {
    const value = readValue(shape, answer, id)
    if (shape.kind === 'record') return [value as Row]
    return 'of' in shape ? (value as { items: Row[] }).items : []
  } catch {
    return []
  }
}

/** Everything that the contract lets one read, once. */
export async function readAll(target: Target): Promise<Reader> {
  const reader = new Reader(target)
  for (const asked of reads) await reader.read(asked)
  return reader
}
