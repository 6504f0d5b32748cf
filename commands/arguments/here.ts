/**
 * The zone of this machine's clock, which is what somebody who types here means by today. `cli.ts`
 * loads it before it sets the process to UTC.
 */
export const HERE = Intl.DateTimeFormat().resolvedOptions().timeZone
