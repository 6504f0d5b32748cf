/** Results go to stdout, everything else to stderr, so that `--json` is one clean document. */
export interface Terminal {
  json: boolean
  print(text: string): void
  /** Progress; a terminal shows only the newest, on as many lines as it needs. */
  progress(line: string): void
  log(line: string): void
}
