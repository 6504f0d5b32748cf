import { crc32, deflateRawSync, inflateRawSync } from 'node:zlib'

/**
 * Cells that no line has written are open in a protected worksheet, and texts: there people write
 * what they found. The style of such cells is the first of a workbook, and the library that writes
 * workbooks has no say in it, so that part of the file is edited here.
 */
export const openBelow = (workbook: Uint8Array): Uint8Array =>
  editPart(Buffer.from(workbook), 'xl/styles.xml', styles =>
    styles
      .replace(/(<cellStyleXfs[^>]*>)<xf numFmtId="0" ([^>]*)\/>/, `$1<xf ${TEXT} $2 ${OPEN}`)
      .replace(/(<cellXfs[^>]*>)<xf numFmtId="0" ([^>]*)\/>/, `$1<xf ${TEXT} $2 ${OPEN}`),
  )

/** An SKU keeps its zeros, and a tag its digits. */
const TEXT = 'numFmtId="49" applyNumberFormat="1"'
const OPEN = 'applyProtection="1"><protection locked="0"/></xf>'

/** Of the ZIP format (APPNOTE.TXT): signatures, and where fields stand in their headers. */
const END = Buffer.from('PK\x05\x06', 'latin1')
const ENTRY_LENGTH = 46
const LOCAL_LENGTH = 30
const SIZES_FOLLOW = 8

interface Part {
  name: string
  /** Of the directory at the end, and of the part itself. */
  entry: Buffer
  local: Buffer
  data: Buffer
}

function editPart(zip: Buffer, name: string, edit: (text: string) => string): Buffer {
  const end = Buffer.from(zip.subarray(zip.lastIndexOf(END)))
  const parts = partsOf(zip, end)
  const edited = parts.find(part => part.name === name)!
  const bytes = Buffer.from(edit(inflateRawSync(edited.data).toString('utf8')))
  edited.data = deflateRawSync(bytes)
  edited.entry.writeUInt32LE(crc32(bytes), 16)
  edited.entry.writeUInt32LE(edited.data.length, 20)
  edited.entry.writeUInt32LE(bytes.length, 24)
  let offset = 0
  for (const { entry, local, data } of parts) {
    entry.writeUInt32LE(offset, 42)
    // Checksum and sizes stand in both headers, so none has to follow the data.
    entry.copy(local, 14, 16, 28)
    entry.writeUInt16LE(entry.readUInt16LE(8) & ~SIZES_FOLLOW, 8)
    local.writeUInt16LE(local.readUInt16LE(6) & ~SIZES_FOLLOW, 6)
    offset += local.length + data.length
  }
  const directory = Buffer.concat(parts.map(({ entry }) => entry))
  end.writeUInt32LE(directory.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...parts.flatMap(({ local, data }) => [local, data]), directory, end])
}

function partsOf(zip: Buffer, end: Buffer): Part[] {
  const parts: Part[] = []
  let at = end.readUInt32LE(16)
  for (let left = end.readUInt16LE(10); left > 0; left--) {
    const nameLength = zip.readUInt16LE(at + 28)
    const length = ENTRY_LENGTH + nameLength + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32)
    const entry = Buffer.from(zip.subarray(at, at + length))
    const start = entry.readUInt32LE(42)
    const dataAt =
      start + LOCAL_LENGTH + zip.readUInt16LE(start + 26) + zip.readUInt16LE(start + 28)
    parts.push({
      name: entry.toString('utf8', ENTRY_LENGTH, ENTRY_LENGTH + nameLength),
      entry,
      local: Buffer.from(zip.subarray(start, dataAt)),
      data: zip.subarray(dataAt, dataAt + entry.readUInt32LE(20)),
    })
    at += length
  }
  return parts
}
