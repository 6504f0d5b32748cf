/** What a run answers: counts and ids, small enough for any history. */
export interface RecordCounts {
  fetched: number
  inserted: number
  updated: number
  unchanged: number
  duplicate: number
  deadLettered: number
}

/** Why something stopped: our code, a sentence, and what to do. */
export interface Failure {
  code: string
  message: string
  remedy: string | undefined
}

export interface StreamResult {
  stream: string
  windows: { proven: number; unproven: number }
  records: RecordCounts
  requests: number
  tookMs: number
  /** Ids of findings; their texts are in the database. */
  findings: string[]
  failure: Failure | undefined
}

export interface StoreResult {
  store: string
  streams: StreamResult[]
  failure: Failure | undefined
}

export const emptyResult = (stream: string): StreamResult => ({
  stream,
  windows: { proven: 0, unproven: 0 },
  records: { fetched: 0, inserted: 0, updated: 0, unchanged: 0, duplicate: 0, deadLettered: 0 },
  requests: 0,
  tookMs: 0,
  findings: [],
  failure: undefined,
})

/** What an activity answers, as it lies in a history. */
export interface AnswerOfRun {
  /** The run of the workflow that asked. */
  ofRun: string
  answer: unknown
}
