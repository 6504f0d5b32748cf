import { defineStream } from '../../../connectors/stream.ts'
import type { Columns, Stream } from '../../../connectors/stream.ts'

/** A made-up stream for tests that are about its columns and lines, and nothing else of it. */
export const salesStream = (columns: Columns, children: Stream['children'] = {}): Stream =>
  defineStream({
    name: 'sales',
    singular: 'sale',
    title: 'sales',
    path: '/sales',
    windowing: 'days',
    offset: 'skip',
    pageCap: 100,
    cursor: 'modified',
    eventTimes: ['modified'],
    lookbackDays: 1,
    columns,
    children,
  })
