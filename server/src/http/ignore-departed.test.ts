import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { testDatabase } from '../../test/database.ts'
import { PASSWORD, Person } from '../../test/person.ts'
import { startPortico } from '../../test/portico-process.ts'
import { queryDatabase } from '../../test/query-database.ts'

describe.skipIf(process.platform === 'win32')('a request whose sender resets the connection before it is read', () => {
  test('has no effect, and is no internal error', async () => {
    const { url: DATABASE_URL } = await testDatabase()
    const portico = await startPortico({ DATABASE_URL })
    const owner = await new Person(portico).setUp(/set-up\?code=(\w+)/.exec(portico.output())?.[1] ?? '')

    portico.kill('SIGSTOP')
    const { hostname, port, host, origin } = new URL(portico.url)
    const socket = connect({ host: hostname, port: Number(port) })
    await once(socket, 'connect')
    const body = JSON.stringify({ name: owner.name, password: PASSWORD })
    const headers = [
      `Host: ${host}`,
      `Origin: ${origin}`,
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
    ]
    await new Promise((resolve) => {
      socket.write(`POST /portal/v1/sessions HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n${body}`, resolve)
    })
    await sleep(200)
    socket.resetAndDestroy()
    await sleep(200)
    portico.kill('SIGCONT')

    await owner.signInElsewhere()
    expect(await queryDatabase(DATABASE_URL, 'SELECT id FROM sessions')).toHaveLength(2)
    portico.kill('SIGTERM')
    const { stdout } = await portico.ended
    expect(stdout).not.toContain('internal error')
  })
})
