import { flag, resource, text, timestamp } from '../fields.ts'

export const note = resource('Note', {
  ...text('id', 'message', 'writerId', 'writerName'),
  ...flag('enableExtFleet', 'deleted', 'updated'),
  ...timestamp('created', 'modified'),
})
