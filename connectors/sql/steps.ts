import type { Sql } from './connection.ts'

/**
 * Work inside a transaction as the statements that it asks for, one after the other. SQLite's
 * writing thread answers them at once, PostgreSQL when it has: what a window means is written once
 * for both.
 */
export type Steps<Answer> = Generator<Step | OtherWork, Answer, StepAnswer>

/** A statement, as `Sql` says what it may hold, and whether its rows or its changes are wanted. */
export interface Step {
  sql: string
  parameters: object
  wants: 'rows' | 'changes'
}

export type StepAnswer = readonly object[] | number

/** What is no statement, as a COPY is: only a database that is waited for asks for it. */
export type OtherWork = () => Promise<void>

export function* all<Row extends object>(sql: string, parameters: object = {}): Steps<Row[]> {
  return (yield { sql, parameters, wants: 'rows' }) as Row[]
}

/** The first row, where there is one. */
export function* first<Row extends object>(
  sql: string,
  parameters: object = {},
): Steps<Row | undefined> {
  return (yield* all<Row>(sql, parameters))[0]
}

/** Answers how many rows it changed. */
export function* run(sql: string, parameters: object = {}): Steps<number> {
  return (yield { sql, parameters, wants: 'changes' }) as number
}

/** Runs the statements, inside a transaction that is there. */
export async function runSteps<Answer>(sql: Sql, steps: Steps<Answer>): Promise<Answer> {
  let step = steps.next()
  while (step.done !== true) step = steps.next(await answerOf(sql, step.value))
  return step.value
}

async function answerOf(sql: Sql, step: Step | OtherWork): Promise<StepAnswer> {
  if (typeof step !== 'function')
    return step.wants === 'rows'
      ? await sql.all(step.sql, step.parameters)
      : await sql.run(step.sql, step.parameters)
  await step()
  return 0
}
