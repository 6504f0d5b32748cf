import { crc32, deflateRawSync } from 'node:zlib'

/** What is wrong with a workbook. */
export interface Hostile {
  /** Behind its only row, in the data of its worksheet. */
  sheet?: string
  texts?: string
  extra?: Buffer
  /** What its directory says of the size of each part. */
  says?: number
  /** Of compression; 8 is right. */
  method?: number
}

const XML = '<?xml version="1.0"?>'
const TYPES = 'http://schemas.openxmlformats.org/package/2006'
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const KIND = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

const relations = (targets: Readonly<Record<string, string>>): string =>
  `${XML}<Relationships xmlns="${TYPES}/relationships">` +
  Object.entries(targets)
    .map(
      ([kind, target], at) =>
        `<Relationship Id="rId${at + 1}" Type="${OFFICE}/${kind}" Target="${target}"/>`,
    )
    .join('') +
  '</Relationships>'

/** A workbook written byte by byte, with one worksheet whose header is `id`. */
export function hostileBook(hostile: Hostile): Buffer {
  const { sheet = '', texts = '', extra, says, method } = hostile
  const parts: Readonly<Record<string, string>> = {
    '[Content_Types].xml':
      `${XML}<Types xmlns="${TYPES}/content-types">` +
      '<Default Extension="rels" ' +
      'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>' +
      `<Override PartName="/xl/workbook.xml" ContentType="${KIND}.sheet.main+xml"/>` +
      `<Override PartName="/xl/sheet.xml" ContentType="${KIND}.worksheet+xml"/></Types>`,
    '_rels/.rels': relations({ officeDocument: 'xl/workbook.xml' }),
    'xl/workbook.xml':
      `${XML}<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets>` +
      '<sheet name="products" sheetId="1" r:id="rId1"/></sheets></workbook>',
    'xl/_rels/workbook.xml.rels': relations({
      worksheet: 'sheet.xml',
      sharedStrings: 'texts.xml',
    }),
    'xl/sheet.xml':
      `${XML}<worksheet xmlns="${MAIN}"><sheetData><row r="1"><c r="A1" t="inlineStr">` +
      `<is><t>id</t></is></c></row>${sheet}</sheetData></worksheet>`,
    'xl/texts.xml': `${XML}<sst xmlns="${MAIN}">${texts}</sst>`,
  }
  const all = Object.entries(parts).map(([name, text]) => ({ name, data: Buffer.from(text) }))
  const media = extra === undefined ? [] : [{ name: 'xl/media/1.bin', data: extra }]
  return zip([...all, ...media], { says, method: method ?? 8 })
}

function zip(
  parts: readonly { name: string; data: Buffer }[],
  { says, method }: { says: number | undefined; method: number },
): Buffer {
  const bodies: Buffer[] = []
  const directory: Buffer[] = []
  let at = 0
  for (const { name, data } of parts) {
    const packed = deflateRawSync(data)
    const facts = Buffer.alloc(20)
    facts.writeUInt16LE(method, 2)
    facts.writeUInt32LE(crc32(data), 8)
    facts.writeUInt32LE(packed.length, 12)
    facts.writeUInt32LE(says ?? data.length, 16)
    const local = Buffer.concat([word(0x04034b50), word16(20), facts, word16(name.length, 0)])
    const rest = Buffer.alloc(16)
    rest.writeUInt32LE(at, 12)
    const entry = [word(0x02014b50), word16(20, 20), facts, word16(name.length), rest]
    bodies.push(local, Buffer.from(name), packed)
    directory.push(...entry, Buffer.from(name))
    at += local.length + name.length + packed.length
  }
  const list = Buffer.concat(directory)
  const end = [word(0x06054b50), word16(0, 0, parts.length, parts.length)]
  return Buffer.concat([...bodies, list, ...end, word(list.length), word(at), word16(0)])
}

function word(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

function word16(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 2)
  values.forEach((value, at) => bytes.writeUInt16LE(value, at * 2))
  return bytes
}
