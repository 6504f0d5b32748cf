/** Says on stderr which of the steps begins that bring a database up to date. */
export function sayStep(place: string, step: string, pending: readonly string[]): void {
  const at = `${pending.indexOf(step) + 1} of ${pending.length}`
  process.stderr.write(
    `bringing ${place} up to date, step ${at} (${step}); ` +
      'Ctrl-C ends it, and the next command goes on\n',
  )
}
