import { hash } from 'node:crypto'

/** The sha256 of a text or of bytes, in hexadecimal. */
export const sha256Of = (bytes: string | Uint8Array): string => hash('sha256', bytes)
