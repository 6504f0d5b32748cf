import { verifyManifest } from '../exports/verify.ts'
import { formatTable, type Terminal } from './terminal.ts'

/** `tillage verify MANIFEST`: 0 if every file is there as it was written and the chain holds, 1 if not. */
export function verify(manifest: string, terminal: Terminal): Promise<number> {
  const report = verifyManifest(manifest)
  const { problems, filesChecked, chain } = report
  if (terminal.json) terminal.print(JSON.stringify(report))
  else if (problems.length === 0) terminal.print(`${filesChecked} files are as they were written; ${chain.length} manifests in the chain`)
  else terminal.print(formatTable(['problem', 'file', 'detail'], problems.map(({ problem, path, detail }) => [problem, path, detail])))
  return Promise.resolve(problems.length === 0 ? 0 : 1)
}
