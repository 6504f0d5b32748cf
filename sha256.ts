import { hash } from 'node:crypto'

/** The sha256 of a text or of bytes, in hexadecimal. */
export const sha256Of = (bytes: string | Uint8Array): string => hash('sha256', bytes)

/** The same as its 32 bytes. */
export const sha256BytesOf = (bytes: string | Uint8Array): Buffer => hash('sha256', bytes, 'buffer')
