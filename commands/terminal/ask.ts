import { createInterface } from 'node:readline/promises'
import type { Interface } from 'node:readline/promises'
import { TillageError } from '../../errors.ts'
import type { Context } from '../command.ts'

/** Where somebody can answer. */
export interface Prompt {
  input: NodeJS.ReadableStream
  output: NodeJS.WritableStream
  /** Ctrl-C. */
  signal: AbortSignal
}

/** Undefined where nobody sits at a terminal, or a program reads along. */
export function promptOf({ terminal, signal }: Context): Prompt | undefined {
  const { stdin: input, stderr: output } = process
  return input.isTTY && output.isTTY && !terminal.json ? { input, output, signal } : undefined
}

/** Ctrl-C and Ctrl-D end the questions, and nothing was written. */
export function readLine(
  { reader, signal }: Prompt & { reader: Interface },
  question: string,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const stop = (): void =>
      reject(
        new TillageError('INTERRUPTED', 'stopped before everything was answered', {
          remedy: 'Nothing was written.',
        }),
      )
    reader.once('close', stop).once('SIGINT', stop)
    reader
      .question(question, { signal })
      .then(resolve, stop)
      .finally(() => {
        reader.off('close', stop).off('SIGINT', stop)
      })
  })
}

/** Whether somebody answers with yes; anything else is no. */
export async function askYes(prompt: Prompt, question: string): Promise<boolean> {
  const reader = createInterface({ input: prompt.input, output: prompt.output })
  try {
    const answer = await readLine({ ...prompt, reader }, `${question} [y/N] `)
    return /^y(es)?$/i.test(answer.trim())
  } finally {
    reader.close()
  }
}
