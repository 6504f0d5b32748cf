import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { askForAnswers } from '../../../commands/init/answers.ts'
import type { Answers } from '../../../commands/init/answers.ts'

/** Somebody who answers each question once it is asked; `undefined` is Ctrl-D. */
async function answering(
  lines: readonly (string | undefined)[],
  given: Partial<Answers> = {},
): Promise<{ answers: Answers[] | undefined; error: unknown; asked: string }> {
  const [input, output] = [new PassThrough(), new PassThrough()]
  const left = [...lines]
  let asked = ''
  output.on('data', (chunk: Buffer) => {
    asked += chunk.toString()
    if (!asked.endsWith(': ')) return
    const line = left.shift()
    if (line === undefined) input.end()
    else input.write(`${line}\n`)
  })
  const prompt = { input, output, signal: new AbortController().signal }
  return askForAnswers(given, prompt).then(
    answers => ({ answers, error: undefined, asked }),
    (error: unknown) => ({ answers: undefined, error, asked }),
  )
}

it('asks for what is missing; Enter takes what stands in brackets', async () => {
  const { answers, asked } = await answering(['https://partner.example', 'up-town', '', '', ''])
  expect(answers).toEqual([
    {
      url: 'https://partner.example',
      store: 'up-town',
      partnerKeyName: 'TILLAGE_PARTNER_KEY',
      developerKeyName: 'TILLAGE_UP_TOWN_KEY',
    },
  ])
  expect(asked).toContain('developer key [TILLAGE_UP_TOWN_KEY]: ')
  const usual = await answering(['', '', '', ''], { url: 'https://partner.example' })
  expect(usual.answers?.map(({ store }) => store)).toEqual(['downtown'])
})

it('asks again for what cannot be, and does not repeat what may be a key', async () => {
  const lines = ['partner', 'https://partner.example', 'a store', 'uptown', 'sk-123!', '', '', '']
  const { answers, asked } = await answering(lines)
  expect(answers).toMatchObject([{ url: 'https://partner.example', store: 'uptown' }])
  expect(asked).toContain('"partner" is not an address. Write it like https://partner.example')
  expect(asked).toContain('"a store" cannot be the name of a store')
  expect(asked).toContain('is not the name of an environment variable')
  expect(asked).not.toContain('sk-123')
})

it('asks again for an address that ends as the path of each request begins, and takes others', async () => {
  const own = ['https://p.example/api/v1/partner', 'https://p.example/x/API/v1/partner/']
  const lines = [...own, 'https://p.example/api/v1', 'https://p.example/api', '', '', '', '']
  const { answers, asked } = await answering(lines)
  expect(answers).toMatchObject([{ url: 'https://p.example/api' }])
  expect(asked.match(/the address ends with \/api\/v1\/partner, and each request/g)).toHaveLength(2)
  expect(asked).toContain('the address ends with /api/v1, and each request begins with that. Leave')
})

it('ends where nobody answers any more, and where an option cannot be', async () => {
  expect((await answering([undefined])).error).toMatchObject({ code: 'INTERRUPTED' })
  expect((await answering(['', ''], { url: 'partner' })).error).toMatchObject({ code: 'USAGE' })
})

it('takes several stores, named with commas or one after the other', async () => {
  const url = 'https://partner.example'
  const named = await askForAnswers({ url, store: 'downtown, harbor' }, undefined)
  expect(named).toMatchObject([
    { store: 'downtown', developerKeyName: 'TILLAGE_DOWNTOWN_KEY' },
    {
      store: 'harbor',
      developerKeyName: 'TILLAGE_HARBOR_KEY',
      partnerKeyName: 'TILLAGE_PARTNER_KEY',
    },
  ])
  const { answers } = await answering(['downtown', '', '', 'harbor', 'HARBOR', ''], { url })
  expect(answers).toMatchObject([
    { store: 'downtown' },
    { store: 'harbor', developerKeyName: 'HARBOR' },
  ])
})

it.each([
  [{ store: 'downtown,Downtown' }, 'named twice'],
  [{ store: 'downtown,a b' }, 'cannot be the name of a store'],
  [{ store: 'downtown,harbor', developerKeyName: 'KEY' }, 'each has a key of its own'],
])('refuses %j', async (given, message) => {
  const all = { url: 'https://partner.example', ...given }
  await expect(askForAnswers(all, undefined)).rejects.toThrow(message)
})
