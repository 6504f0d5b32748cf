/** Breaks between words only. */
export function wrap(text: string, width: number): string[] {
  if (text.length <= width) return [text]
  const lines = ['']
  for (const word of text.split(' ')) {
    const longer = lines.at(-1) === '' ? word : `${lines.at(-1)} ${word}`
    if (longer.length <= width || lines.at(-1) === '') lines[lines.length - 1] = longer
    else lines.push(word)
  }
  return lines
}

/**
 * A message of one or more lines, none wider than the terminal and no word of it broken. A command
 * to type stays in one piece, on a line of its own where it does not fit: the terminal breaks it
 * where it must, and it can be copied whole. `program` is what such a command begins with.
 */
export const wrapMessage = (message: string, width: number, program: string): string =>
  message
    .split('\n')
    .flatMap(line => wrapLine(line, width, program))
    .join('\n')

function wrapLine(line: string, width: number, program: string): string[] {
  if (line.length <= width) return [line]
  const indent = /^ */.exec(line)![0]
  const at = line.lastIndexOf(`${program} `)
  const prose = wrapWords(at === -1 ? line : line.slice(0, at), indent, width)
  if (at === -1) return prose
  const command = line.slice(at)
  const last = prose.at(-1)!
  if (last === '') return [line]
  if (last.length + 1 + command.length <= width)
    return [...prose.slice(0, -1), `${last} ${command}`]
  return [...prose, `${indent}  ${command}`]
}

const wrapWords = (text: string, indent: string, width: number): string[] =>
  wrap(text.trim(), Math.max(1, width - indent.length)).map(part =>
    part === '' ? '' : indent + part,
  )

/** With an ellipsis where it is longer. */
export const cut = (text: string, width: number): string =>
  text.length > width ? `${text.slice(0, width - 1)}\u2026` : text
