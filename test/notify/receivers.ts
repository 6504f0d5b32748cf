import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'

/** What a receiver was sent over HTTP. */
export interface Sent {
  method: string
  path: string
  key: unknown
  body: string
  /** What it answered; undefined: nothing. */
  status: number | undefined
}

export interface WebReceiver {
  came: Sent[]
  /** Without a path. */
  url: string
  close(): Promise<void>
}

/** The status for a path; undefined: it never answers. */
type Answer = (path: string) => number | undefined | Promise<number>

/** Keeps what comes. */
export async function receiveWeb(answer: Answer = () => 200): Promise<WebReceiver> {
  const came: Sent[] = []
  const server = createServer((request, response) => {
    const { method = '', url: path = '', headers } = request
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      const sent: Sent = { method, path, key: headers['idempotency-key'], body, status: undefined }
      came.push(sent)
      void Promise.resolve(answer(path)).then(status => {
        sent.status = status
        if (status !== undefined) response.writeHead(status).end('<html>secret')
      })
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    came,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

export interface MailReceiver {
  /** As they came, headers and all. */
  mails: string[]
  /** For the setting `smtp`. */
  url: string
  close(): Promise<void>
}

/** A mail server that knows nobody whose name begins with `nobody`. */
export async function receiveMail(): Promise<MailReceiver> {
  const mails: string[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onRcptTo: ({ address }, _session, done) =>
      done(address.startsWith('nobody') ? new Error('no such receiver') : null),
    onData(stream, _session, done) {
      let mail = ''
      stream.on('data', (chunk: Buffer) => (mail += chunk.toString()))
      stream.on('end', () => {
        mails.push(mail)
        done()
      })
    },
  })
  const listening = server.listen(0, '127.0.0.1')
  await once(listening, 'listening')
  return {
    mails,
    url: `smtp://127.0.0.1:${(listening.address() as AddressInfo).port}`,
    close: () => new Promise<void>(resolve => server.close(() => resolve())),
  }
}
