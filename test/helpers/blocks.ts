/** A code block of a document. */
export interface Block {
  file: string
  language: string
  text: string
  /** Why it cannot be run, from `<!-- not run: WHY -->` above it. */
  notRun: string | undefined
  /** The `text` block that follows it at once: what it prints. */
  output: string | undefined
}

const BLOCK =
  /(?:^<!-- not run: (?<why>.+?) -->\n\n)?^```(?<language>[a-z]+)[^\n]*\n(?<text>.*?)^```\n(?:\n```text\n(?<output>.*?)^```$)?/gms

/** Every code block of a document, in order; outputs are part of the block that prints them. */
export const blocksOf = (file: string, document: string): Block[] =>
  [...document.matchAll(BLOCK)].map(({ groups }) => ({
    file,
    language: groups!['language']!,
    text: groups!['text']!,
    notRun: groups!['why'],
    output: groups!['output'],
  }))

/** The commands of a block, each as one line: what continues is joined, remarks are left out. */
export const commandsIn = ({ text }: Pick<Block, 'text'>): string[] =>
  text
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .map(line => line.replace(/\s+#.*$/, '').trim())
    .filter(line => line !== '')

const CALL = /^(?:npm run -s tillage --|npx tillage|tillage) /

/** The arguments of a call of the program, as a shell splits them; undefined: another command. */
export function callOf(command: string): string[] | undefined {
  if (!CALL.test(command)) return undefined
  return [...command.replace(CALL, '').matchAll(/"([^"]*)"|(\S+)/g)].map(
    ([, quoted, bare]) => quoted ?? bare!,
  )
}
