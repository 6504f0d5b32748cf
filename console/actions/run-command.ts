import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { startedAs } from '../../commands/terminal/started-as.ts'

/** A command of the program that somebody has started on a page. */
export interface CommandRun {
  id: string
  title: string
  /** The words of the command, as they are shown. */
  args: readonly string[]
  by: string
  /** What it says is for nobody else. */
  tellsOfPeople?: true | undefined
  /** The page on which it was started. */
  from?: string | undefined
  /** What was typed beside files: whoever chose a wrong one need not type it again. */
  form?: { action: string; values: Readonly<Record<string, string>> } | undefined
  /** Epoch milliseconds. */
  startedMs: number
  endedMs: number | undefined
  /** Exit status; undefined: it is under way. */
  status: number | undefined
  /** What it has said so far, results and progress, the last part of it where it is long. */
  said: string
}

export interface ProgramToRun {
  /** The program's own file, which Node runs. */
  program: string
  /** What `--config` says. */
  configFile: string
  /** What the standard input of a command is, where the settings came from there. */
  input?: string
}

/** A command that is to be run. */
type CommandOrder = Pick<
  CommandRun,
  'id' | 'title' | 'args' | 'by' | 'tellsOfPeople' | 'form' | 'from'
> & {
  /** The folder of what was uploaded with it, which tells nobody anything. */
  hidden?: string
}

/** A text without the path of what was uploaded: the names of the files are enough. */
export const withoutFolder = (text: string, folder: string): string =>
  folder === '' ? text : text.replaceAll(`${folder}/`, '')

/** Of what a command says: more tells nobody anything. */
const MOST_CHARACTERS = 64 * 1024
const lastOf = (said: string): string =>
  said.length <= MOST_CHARACTERS
    ? said
    : `(the beginning is left out)\n${said.slice(-MOST_CHARACTERS)}`

/** Commands that people start on pages, at once. */
const MOST_AT_ONCE = 8
/** Ended ones that can still be looked at. */
const MOST_KEPT = 200

/** The commands of one console: as many processes of the same program, each started once. */
export class CommandRuns {
  private readonly runs = new Map<string, CommandRun>()
  private readonly children = new Map<string, ChildProcess>()
  private readonly place: ProgramToRun

  constructor(place: ProgramToRun) {
    this.place = place
  }

  find(id: string): CommandRun | undefined {
    return this.runs.get(id)
  }

  /** The newest first. */
  all(): CommandRun[] {
    return [...this.runs.values()].toReversed()
  }

  get isFull(): boolean {
    return this.children.size >= MOST_AT_ONCE
  }

  /**
   * Starts it, unless one of this id was started before: a second click changes nothing. It is over
   * when what follows is, and has failed where that fails.
   */
  start(
    { hidden = '', ...order }: CommandOrder,
    followed: (run: CommandRun) => Promise<void> = async () => {},
  ): CommandRun {
    const known = this.runs.get(order.id)
    if (known !== undefined) return known
    const nothingYet = { endedMs: undefined, status: undefined, said: '' }
    const args = order.args.map(arg => withoutFolder(arg, hidden))
    const run: CommandRun = { ...order, args, startedMs: Date.now(), ...nothingYet }
    this.runs.set(run.id, run)
    this.forgetOldest()
    this.follow(run, { args: order.args, hidden }, followed)
    return run
  }

  /** Asks those that are under way to end in order. */
  close(): void {
    for (const child of this.children.values()) child.kill('SIGTERM')
  }

  private follow(
    run: CommandRun,
    { args: words, hidden }: { args: readonly string[]; hidden: string },
    followed: (run: CommandRun) => Promise<void>,
  ): void {
    const { program, configFile, input = '' } = this.place
    const args = [program, ...words, '--config', configFile]
    const child = spawn(process.execPath, args, {
      stdio: ['pipe', 'pipe', 'pipe'],
      // The page folds lines itself, as wide as its reader's window is.
      env: { ...process.env, COLUMNS: '1000' },
    })
    this.children.set(run.id, child)
    // The console has one configuration: naming it with every hint tells nobody anything.
    const [long, short] = [startedAs(process.env, args), startedAs(process.env, [])]
    const hear = (bytes: Buffer): void => {
      const said = withoutFolder(`${run.said}${bytes.toString()}`, hidden)
      run.said = lastOf(said.replaceAll(long, short))
    }
    // A command that ends without reading it is no failure of this one.
    child.stdin.on('error', () => {}).end(input)
    child.stdout.on('data', hear)
    child.stderr.on('data', hear)
    const end = (status: number, text = ''): void => {
      this.children.delete(run.id)
      run.status ??= status
      run.endedMs ??= Date.now()
      run.said += text
    }
    child.on('error', error => end(1, error.message))
    child.on('close', status => {
      followed(run).then(
        () => end(status ?? 1),
        (cause: unknown) => end(1, String(cause)),
      )
    })
  }

  private forgetOldest(): void {
    for (const [id, { status }] of this.runs) {
      if (this.runs.size <= MOST_KEPT) return
      if (status !== undefined) this.runs.delete(id)
    }
  }
}
