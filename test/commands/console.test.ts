import { expect, it } from 'vitest'
import { Project } from '../helpers/project.ts'

const STORE = {
  id: 'downtown',
  baseUrl: 'http://127.0.0.1:9',
  developerKey: 'd'.repeat(20),
  partnerKey: 'p'.repeat(20),
}

it('a ticket is printed with an address that answers: of port 0 nobody knows which one it became', async () => {
  const project = new Project()
  const ticket = async (listen: object) => {
    project.configure([STORE], { console: listen })
    return JSON.parse((await project.run('console', 'ticket', '--json')).stdout) as object
  }
  expect(await ticket({ listen: '127.0.0.1:0' })).toMatchObject({
    error: { code: 'USAGE', message: expect.stringContaining('port 0') },
  })
  expect(await ticket({ listen: '127.0.0.1:9201' })).toMatchObject({
    signIn: expect.stringContaining('http://127.0.0.1:9201/sign-in?ticket='),
  })
  await project.remove()
})
