import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readClosingFile } from '../../../commands/journal/closing-file.ts'
import { toAmount } from '../../../money/amount.ts'

const folder = mkdtempSync(join(tmpdir(), 'tillage-test-'))
function fileOf(name: string, content: string | Buffer): string {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}
const cashIn = async (path: string): Promise<bigint | undefined> =>
  (await readClosingFile(path, ['downtown'])).get('')?.get('tender:cash')

test.each([
  ['UTF-16 with tabs', Buffer.from('\uFEFFfigure\tamount\r\ntender:cash\t70.63\r\n', 'utf16le')],
  ['semicolons and a decimal comma', 'figure;amount\r\ntender:cash;70,63\r\n'],
  ['a separator that is said', 'sep=;\r\nFigure;Amount\r\ntender:cash;70.63\r\n'],
  [
    'Windows-1252 beside it',
    Buffer.from('figure;amount;Prüfer\ntender:cash;70,63;José\n', 'latin1'),
  ],
])('a closing report is read as Excel saves it: %s', async (_what, content) => {
  expect(await cashIn(fileOf('closing.csv', content))).toBe(toAmount('70.63'))
})

test('an amount that may be two is refused with both, and no figure is taken from it', async () => {
  const path = fileOf('unclear.csv', 'figure;amount\ntender:cash;1,234\n')
  await expect(readClosingFile(path, ['downtown'])).rejects.toThrow('1,234 may be 1.234 or 1234')
})

test('what is no amount is shown as it was read', async () => {
  const path = fileOf('wrong.csv', 'figure,amount\ntender:cash,$70\n')
  await expect(readClosingFile(path, ['downtown'])).rejects.toThrow(
    'line 2: "$70" is not an amount',
  )
})
