import { html } from '../../documents/html.ts'
import type { Html } from '../../documents/html.ts'
import type { Cell } from './data-table.ts'

/** The words for how something stands, each with a sign, so that no colour is needed to read it. */
const GLYPHS = {
  proven: '✓',
  done: '✓',
  unproven: '✗',
  failed: '✗',
  late: '!',
  stale: '◷',
  parked: '‖',
  running: '▸',
  'never read': '○',
  'not due': '·',
} as const

export type Status = keyof typeof GLYPHS

export const glyphOf = (status: Status): string => GLYPHS[status]

/** What is shown of a thing in its own words, under one of ours. */
export const statusCell = (status: Status, word: string = status): Cell => ({
  text: word,
  show: statusMark(status, word),
})

export const statusMark = (status: Status, word: string = status): Html =>
  html`<span class="status ${status.replace(' ', '-')}"
    ><span aria-hidden="true">${GLYPHS[status]}</span> ${word}</span
  >`
