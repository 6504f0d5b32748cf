import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** A place in a module, as V8 writes it into stacks; those of an installed package end in .js. */
const PLACE = /(file:\/\/[^\s()]+\.js):(\d+):\d+/g
/** What `npm run build` leaves above the lines of each source. */
const SOURCE = /^\/\/ (\S+\.\w+)$/

/**
 * The stack of an error with the source in front of each place: files of an installed package are
 * made of many sources.
 */
export function nameSources(stack: string): string {
  return stack.replaceAll(PLACE, (place: string, file: string, line: string) => {
    const source = findSource(file, Number(line))
    return source === undefined ? place : `${source}, ${place}`
  })
}

function findSource(file: string, line: number): string | undefined {
  try {
    const above = readFileSync(fileURLToPath(file), 'utf8').split('\n').slice(0, line)
    const comment = above.findLast(text => SOURCE.test(text))
    return comment === undefined ? undefined : SOURCE.exec(comment)![1]
  } catch {
    // Replaced or removed while the program ran.
    return undefined
  }
}
