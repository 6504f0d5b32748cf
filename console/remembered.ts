import type { CommandRuns } from './actions/run-command.ts'
import { Sessions } from './sessions.ts'
import { WrongPasswords } from './wrong-passwords.ts'

/**
 * What a console knows of its people as long as its program runs: settings that change meanwhile
 * neither sign anybody out nor end a command that somebody waits for.
 */
export interface Remembered {
  sessions: Sessions
  wrongPasswords: WrongPasswords
  /** The commands that were started on its pages. */
  commands: CommandRuns
}

export const newlyRemembered = (commands: CommandRuns): Remembered => ({
  sessions: new Sessions(),
  wrongPasswords: new WrongPasswords(),
  commands,
})
