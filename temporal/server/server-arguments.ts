import { SEARCH_ATTRIBUTES } from '../../workflows/start-facts.ts'

/** The database's name in the folder that the server is started in. */
export const DATABASE_NAME = 'temporal.db'

/**
 * The CLI's arguments, for a start in the data folder. The database goes by its bare name because
 * the CLI makes a URL of it unquoted: a `?` or `#` in a folder's name would put the database
 * elsewhere, a `%` would make it fail.
 *
 * Out of the box the dev server does 10 activities a second in sequence, because its queues are
 * polled 20 times a second at most; with these it does 70. An activity that a workflow of the same
 * worker asks for comes back with the server's answer, instead of by way of a queue. The pragmas
 * give back what a database file costs: 36 a second without them, 70 with them. They keep every
 * commit across a kill of the server, and the database consistent across a power cut.
 *
 * Nobody here speaks HTTP with the server, so its HTTP API answers nobody: a web page in a browser
 * of this machine could make it one of its own hosts. No request can name a host with a space.
 */
export function serverArguments(port: number, uiPort: number | undefined): string[] {
  return [
    'server',
    'start-dev',
    ...webUiArguments(uiPort),
    '--ip',
    '127.0.0.1',
    '--port',
    String(port),
    '--namespace',
    'default',
    '--db-filename',
    DATABASE_NAME,
    '--sqlite-pragma',
    'journal_mode=WAL',
    '--sqlite-pragma',
    'synchronous=NORMAL',
    '--log-level',
    'warn',
    '--dynamic-config-value',
    'history.transferProcessorMaxPollRPS=1000',
    '--dynamic-config-value',
    'history.timerProcessorMaxPollRPS=1000',
    '--dynamic-config-value',
    'matching.numTaskqueueReadPartitions=1',
    '--dynamic-config-value',
    'matching.numTaskqueueWritePartitions=1',
    '--dynamic-config-value',
    'system.enableActivityEagerExecution=true',
    '--dynamic-config-value',
    'frontend.httpAllowedHosts=["no host"]',
    ...SEARCH_ATTRIBUTES.flatMap(name => ['--search-attribute', `${name}=Keyword`]),
  ]
}

/**
 * For people who ask for it alone: it answers whatever host name it is called by, and has no
 * setting for that. It asks nobody for news.
 */
const webUiArguments = (port: number | undefined): string[] =>
  port === undefined
    ? ['--headless']
    : ['--ui-ip', '127.0.0.1', '--ui-port', String(port), '--ui-disable-news-fetch']
