import { afterEach, expect, it, vi } from 'vitest'
import { createTerminal, formatError, formatTable } from '../../commands/terminal.ts'

const ESC = String.fromCharCode(27)
const BELL = String.fromCharCode(7)
/** An id that clears the screen, sets the title, turns the writing round, and ends in a C1 control. */
const EVIL = `${ESC}[2J${ESC}]0;owned${BELL}\u202Etxt\u009B31m\r`
const written: string[] = []
const spy = (): void => {
  for (const stream of [process.stdout, process.stderr])
    vi.spyOn(stream, 'write').mockImplementation(text => written.push(String(text)) > 0)
}
afterEach(() => {
  vi.restoreAllMocks()
  written.length = 0
})

// oxlint-disable-next-line no-control-regex -- it is what must not be there
const ACTS = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202A-\u202E]/

it('shows control characters of the API and acts on none', () => {
  spy()
  const terminal = createTerminal(false)
  terminal.print(`id ${EVIL}\n\tnext`)
  terminal.log(EVIL)
  terminal.progress(EVIL)
  expect(written.join('')).not.toMatch(ACTS)
  expect(written[0]).toBe(
    'id \\u001b[2J\\u001b]0;owned\\u0007\\u202etxt\\u009b31m\\u000d\n\tnext\n',
  )
})

it('leaves a JSON document one, with the same values', () => {
  spy()
  createTerminal(true).print(JSON.stringify({ id: EVIL }))
  expect(written[0]).not.toMatch(ACTS)
  expect(JSON.parse(written[0]!)).toEqual({ id: EVIL })
})

it('lets no cell of a table act either', () => {
  expect(formatTable(['id'], [[EVIL]])).not.toMatch(ACTS)
})

it('shows what was not foreseen without the keys in it', () => {
  expect(formatError(new Error('plain'))).toContain('plain')
})
