import type Sqlite from 'better-sqlite3'
import type { Step, StepAnswer, Steps } from '../../sql/steps.ts'

/** Runs statements on this connection at once; each is compiled once. */
export function stepsOn(connection: Sqlite.Database): <Answer>(steps: Steps<Answer>) => Answer {
  const prepared = new Map<string, Sqlite.Statement>()
  const answer = ({ sql, parameters, wants }: Step): StepAnswer => {
    const statement = prepared.get(sql) ?? connection.prepare(sql)
    prepared.set(sql, statement)
    return wants === 'rows'
      ? (statement.all(parameters) as object[])
      : statement.run(parameters).changes
  }
  return steps => {
    let step = steps.next()
    while (step.done !== true) step = steps.next(answer(step.value))
    return step.value
  }
}
