import { createInterface } from 'node:readline/promises'
import type { Interface } from 'node:readline/promises'
import { repeatedBegin } from '../../connectors/partner/request.ts'
import { UsageError } from '../../errors.ts'
import { faultOfStoreId, splitNames, VARIABLE_NAME } from '../../names.ts'
import { readLine } from '../terminal/ask.ts'
import type { Prompt } from '../terminal/ask.ts'

/** A store to be configured; keys by the names of their variables, never themselves. */
export interface Answers {
  url: string
  store: string
  partnerKeyName: string
  developerKeyName: string
}

interface Question {
  what: string
  /** What pressing Enter means. */
  otherwise?: string
  /** Throws a UsageError for what cannot be. */
  check: (answer: string) => void
}

const URL_QUESTION: Question = { what: 'Address of the Partner Commerce API', check: checkUrl }
const STORE_QUESTION: Question = {
  what: 'A short name for the store',
  otherwise: 'downtown',
  check: checkStore,
}
const anotherQuestion = (others: readonly Answers[]): Question => ({
  what: 'Another store (Enter: no more)',
  check(store) {
    if (store === '') return
    checkStore(store)
    if (others.some(other => other.store.toLowerCase() === store.toLowerCase()))
      throw new UsageError(`the store ${store} is named twice`, 'Nothing was written.')
  },
})

/** Where nobody says otherwise. */
export const usualKeyNames = (
  store: string,
): Pick<Answers, 'partnerKeyName' | 'developerKeyName'> => ({
  partnerKeyName: 'TILLAGE_PARTNER_KEY',
  developerKeyName: `TILLAGE_${store.toUpperCase().replaceAll('-', '_')}_KEY`,
})

const partnerKeyQuestion = (store: string): Question => ({
  what: 'Environment variable of the partner key',
  otherwise: usualKeyNames(store).partnerKeyName,
  check: checkVariable,
})
const developerKeyQuestion = (store: string): Question => ({
  what: "Environment variable of the store's developer key",
  otherwise: usualKeyNames(store).developerKeyName,
  check: checkVariable,
})

/**
 * One for each store, from the options (`store` may be several with commas); what is missing is
 * asked for where somebody can answer, again until the answer can be. Without a prompt, what is
 * missing is what pressing Enter means.
 */
export async function askForAnswers(
  given: Partial<Answers>,
  prompt: Prompt | undefined,
): Promise<Answers[]> {
  if (prompt === undefined && given.url === undefined)
    throw new UsageError(
      'init needs the address of the API',
      'For example: tillage init --url https://partner.example --store downtown. ' +
        'At a terminal it asks for what is missing.',
    )
  const reader = prompt && createInterface({ input: prompt.input, output: prompt.output })
  const ask: Ask = (known, question) =>
    answerTo(question, known, prompt && { ...prompt, reader: reader! })
  try {
    return await askForStores(ask, given, prompt !== undefined && given.store === undefined)
  } finally {
    reader?.close()
  }
}

/** `known` is checked; only where it is undefined anybody is asked. */
type Ask = (known: string | undefined, question: Question) => Promise<string>

async function askForStores(
  ask: Ask,
  given: Partial<Answers>,
  asksForMore: boolean,
): Promise<Answers[]> {
  const named = splitNames(given.store ?? '')
  if (named.length > 1 && given.developerKeyName !== undefined) throw oneKeyForMany()
  const url = await ask(given.url, URL_QUESTION)
  const first = await ask(named[0] ?? given.store, STORE_QUESTION)
  const partnerKeyName = await ask(given.partnerKeyName, partnerKeyQuestion(first))
  const answers: Answers[] = []
  for (let store = first; store !== '';) {
    const developerKeyName = await ask(given.developerKeyName, developerKeyQuestion(store))
    answers.push({ url, store, partnerKeyName, developerKeyName })
    const next = asksForMore ? undefined : (named[answers.length] ?? '')
    store = await ask(next, anotherQuestion(answers))
  }
  return answers
}

const oneKeyForMany = (): UsageError =>
  new UsageError(
    'one --developer-key-name is given for several stores, and each has a key of its own',
    'Leave it out, and put the keys into TILLAGE_STORE_KEY, with the name of the store.',
  )

/** What an option says is checked once: whoever wrote it is not there to be asked. */
async function answerTo(
  question: Question,
  known: string | undefined,
  asking: (Prompt & { reader: Interface }) | undefined,
): Promise<string> {
  if (known === undefined && asking !== undefined) return askUntilValid(question, asking)
  const answer = known ?? question.otherwise ?? ''
  question.check(answer)
  return answer
}

async function askUntilValid(
  { what, otherwise, check }: Question,
  asking: Prompt & { reader: Interface },
): Promise<string> {
  const hint = otherwise === undefined ? '' : ` [${otherwise}]`
  for (;;) {
    const typed = (await readLine(asking, `${what}${hint}: `)).trim()
    const answer = typed === '' ? (otherwise ?? '') : typed
    try {
      check(answer)
      return answer
    } catch (error) {
      if (!(error instanceof UsageError)) throw error
      asking.output.write(`${error.message}. ${error.remedy}\n`)
    }
  }
}

function checkUrl(url: string): void {
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? ''))
    throw new UsageError(
      `${JSON.stringify(url)} is not an address`,
      'Write it like https://partner.example; nothing was written.',
    )
  const begin = repeatedBegin(url)
  if (begin !== undefined && begin !== '/api')
    throw new UsageError(
      `the address ends with ${begin}, and each request begins with that`,
      'Leave it out, like https://partner.example; nothing was written.',
    )
}

function checkStore(store: string): void {
  const fault = faultOfStoreId(store)
  if (fault !== undefined)
    throw new UsageError(
      `${JSON.stringify(store)} cannot be the name of a store: it ${fault}`,
      'Nothing was written.',
    )
}

/** What was given is not repeated: whoever mistook the question has typed the key itself. */
function checkVariable(name: string): void {
  if (!VARIABLE_NAME.test(name))
    throw new UsageError(
      'a key was given by something that is not the name of an environment variable',
      'Give the name of the variable, like TILLAGE_PARTNER_KEY, and put the key into it; ' +
        'nothing was written.',
    )
}
