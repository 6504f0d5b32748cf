import type Sqlite from 'better-sqlite3'
import type { OtherWork, Step, StepAnswer, Steps } from '../../sql/steps.ts'

/** Runs statements on this connection at once; each is compiled once. */
export function stepsOn(connection: Sqlite.Database): <Answer>(steps: Steps<Answer>) => Answer {
  const prepared = new Map<string, Sqlite.Statement>()
  const answer = (step: Step | OtherWork): StepAnswer => {
    if (typeof step === 'function') throw new TypeError('SQLite is asked nothing but statements')
    const { sql, parameters, wants } = step
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
