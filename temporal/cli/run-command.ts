import { execFile } from 'node:child_process'
import type { ExecFileException } from 'node:child_process'

export interface CommandResult {
  readonly ok: boolean
  /** What it printed on both outputs, trimmed. */
  readonly output: string
  /** Why it is not ok: not found, ended by a signal, or the last lines that it printed. */
  readonly problem: string
}

export interface CommandOptions {
  readonly cwd?: string
  readonly env?: NodeJS.ProcessEnv
  readonly timeoutMs: number
}

/**
 * Runs a program to its end, without a shell. Never throws: a program that cannot be run is a
 * result that is not ok.
 */
export async function runCommand(
  file: string,
  args: readonly string[],
  options: CommandOptions,
): Promise<CommandResult> {
  return new Promise(resolve => {
    execFile(
      file,
      args,
      {
        cwd: options.cwd,
        env: options.env,
        timeout: options.timeoutMs,
        killSignal: 'SIGKILL',
        maxBuffer: 64 * 1024 * 1024,
        windowsHide: true,
      },
      (error, stdout, stderr) => {
        const output = `${stdout}${stderr}`.trim()
        if (error === null) resolve({ ok: true, output, problem: '' })
        else
          resolve({ ok: false, output, problem: describeProblem(error, output, options.timeoutMs) })
      },
    )
  })
}

function describeProblem(error: ExecFileException, output: string, timeoutMs: number): string {
  if (error.code === 'ENOENT') return 'there is no such program'
  if (error.code === 'EACCES') return 'the file is not executable'
  if (error.killed === true) return `it did not end within ${timeoutMs / 1000} s`
  const how =
    typeof error.code === 'number'
      ? `it ended with status ${error.code}`
      : `it could not be run (${error.code ?? error.signal ?? error.message})`
  const said = output.split('\n').slice(-5).join(' | ')
  return said === '' ? how : `${how}: ${said}`
}
