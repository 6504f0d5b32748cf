const PLAIN = /^[\w./:@=,-]+$/

/** A word of a command, so that a shell takes it as it is: nothing in it is carried out. */
export const shellWord = (word: string): string =>
  PLAIN.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
