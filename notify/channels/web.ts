import { request } from 'undici'
import type { Message } from './message.ts'
import { explainFailure, NotTaken } from './not-taken.ts'
import { asSlack, asTeams } from './render.ts'

const RENDER = {
  json: ({ document }: Message): object => document,
  slack: ({ document }: Message): object => asSlack(document),
  teams: ({ document }: Message): object => asTeams(document),
}

/** Any answer of 200 to 299 says that it was taken; its body is not looked at. */
export async function post(
  { url, as }: { url: string; as: keyof typeof RENDER },
  message: Message,
  signal: AbortSignal,
): Promise<void> {
  await ask(url, signal, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': message.key },
    body: JSON.stringify(RENDER[as](message)),
  })
}

/** Tells whoever waits for it that the nights were good. */
export const beat = (url: string, signal: AbortSignal): Promise<void> =>
  ask(url, signal, { method: 'GET' })

type Asked = NonNullable<Parameters<typeof request>[1]>

async function ask(url: string, signal: AbortSignal, asked: Asked): Promise<void> {
  try {
    const { statusCode, body } = await request(url, { ...asked, signal })
    // What comes is not read, and its connection not used again.
    body.on('error', () => {}).destroy()
    if (statusCode < 200 || statusCode > 299) throw new NotTaken(`it answered ${statusCode}`)
  } catch (error) {
    throw explainFailure(error)
  }
}
