/**
 * Gives the memory of a large buffer back at once. V8 collects garbage, of everything, for each 64
 * MB of buffers that nobody uses any more, and an answer of the API is a third of one. Nobody may
 * use the buffer afterwards: it is empty. One that shares its memory with others stays.
 */
export function freeBytes({ buffer, byteLength }: ArrayBufferView): void {
  const isWhole = byteLength === buffer.byteLength
  if (isWhole && buffer instanceof ArrayBuffer) buffer.transfer(0)
}
