import type { Message } from '../layout.ts'

/** Why nothing was done, and what to do. */
export class Refusal extends Error {
  readonly status: number
  readonly shown: Message

  constructor(status: number, text: string, next: string, title = 'Nothing was done') {
    super(text)
    this.status = status
    this.shown = { title, text, next }
  }
}

export const AGAIN = 'Go back, and send the form again.'
