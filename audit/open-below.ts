import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate'

/**
 * Cells that no line has written are open in a protected worksheet, and texts: there people write
 * what they found. The style of such cells is the first of a workbook, and the library that writes
 * workbooks has no say in it, so that part of the file is edited here.
 */
export function openBelow(workbook: Uint8Array): Uint8Array {
  const parts = unzipSync(workbook)
  const styles = strFromU8(parts[STYLES]!)
    .replace(/(<cellStyleXfs[^>]*>)<xf numFmtId="0" ([^>]*)\/>/, `$1<xf ${TEXT} $2 ${OPEN}`)
    .replace(/(<cellXfs[^>]*>)<xf numFmtId="0" ([^>]*)\/>/, `$1<xf ${TEXT} $2 ${OPEN}`)
  return zipSync({ ...parts, [STYLES]: strToU8(styles) }, { mtime: NO_TIME })
}

const STYLES = 'xl/styles.xml'
/** An SKU keeps its zeros, and a tag its digits. */
const TEXT = 'numFmtId="49" applyNumberFormat="1"'
const OPEN = 'applyProtection="1"><protection locked="0"/></xf>'
/** The first that ZIP knows: the same sheet has the same bytes whenever it is written. */
const NO_TIME = new Date(1980, 0, 1)
