import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { dataFolder } from '../../test/data-folder.ts'
import { testDatabase } from '../../test/database.ts'
import { Person } from '../../test/person.ts'
import { startPortico } from '../../test/portico-process.ts'

/** Of pino. */
const INFO = 30

describe('the log', { timeout: 300_000 }, () => {
  test('names every request, and never contains a secret at any level', async () => {
    const { url: DATABASE_URL } = await testDatabase()
    const secrets = { PORTICO_SECRET: 'the secret of the portal, long enough', METRICS_TOKEN: 'the token of metrics' }
    const running = await startPortico({
      PORTICO_DATA: await dataFolder(),
      DATABASE_URL,
      LOG_LEVEL: 'trace',
      LOG_FORMAT: 'json',
      ...secrets,
    })
    const code = /set-up\?code=(\w+)/.exec(running.output())?.[1] ?? ''
    const ada = new Person(running, 'Ada')
    const newPassword = 'a password that is new'
    const answers = [
      await ada.post('/set-up', { code, name: 'Ada', password: ada.password }),
      await ada.post('/sessions', { name: 'Ada', password: 'a password that is wrong' }),
      await ada.post('/sessions', { name: 'Ada', password: ada.password }),
      await ada.get('/session'),
      await ada.put('/account/password', { currentPassword: ada.password, newPassword }),
      await ada.request('POST', '/sessions', '{"name":"Ada","password":"a password cut o'),
    ]
    expect(answers.map(({ status }) => status)).toEqual([201, 401, 201, 200, 204, 400])
    const metrics = { authorization: `Bearer ${secrets.METRICS_TOKEN}` }
    expect((await fetch(`${running.url}/metrics`, { headers: metrics })).status).toBe(200)
    for (const path of ['healthz', 'readyz']) expect((await fetch(`${running.url}/${path}`)).status).toBe(200)
    expect((await fetch(`${running.url}/metrics`)).status).toBe(403)
    await running.stop()

    const [greeting = '', ...rest] = running.output().split('Ctrl+C stops it.')
    const logged = greeting.replace(/^.*set-up\?code=.*$/m, '') + rest.join('')
    const tokens = answers.flatMap(({ headers }) => headers.getSetCookie()).map((cookie) => cookie.split(/[=;]/)[1])
    expect(tokens).toHaveLength(5)
    const allSecrets = [ada.password, newPassword, 'a password', code, ...tokens, ...Object.values(secrets)]
    for (const secret of allSecrets) expect(logged).not.toContain(secret)

    const lines = logged.split('\n').filter((line) => line.startsWith('{'))
    const requests = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'request')
    for (const { headers, status } of answers) {
      expect(requests).toContainEqual(expect.objectContaining({ reqId: headers.get('x-request-id'), status }))
    }
    expect(requests).toContainEqual(expect.objectContaining({ method: 'POST', operation: 'signIn', status: 401 }))
    // Of what is requested every few seconds, only failures are worth a line at the usual level.
    const usual = requests.filter(({ level }) => level >= INFO)
    const probes = usual.filter(({ operation }) => ['/healthz', '/readyz', '/metrics'].includes(operation))
    expect(probes).toEqual([expect.objectContaining({ operation: '/metrics', status: 403 })])
  })
  test('hides anything that could be a secret, and shows error codes', async () => {
    const [line = ''] = await logged(`
      log.info({
        password: 'hunter2', input: { newPassword: 'hunter2', code: 'hunter2' }, body: { key: 'hunter2' },
        req: { headers: { cookie: 'hunter2', authorization: 'hunter2', host: 'chat.example' } },
        err: Object.assign(new Error('it broke'), { code: '57014', client: { password: 'hunter2' } }),
      })`)
    expect(line).not.toContain('hunter2')
    expect(JSON.parse(line)).toMatchObject({
      password: '(hidden)',
      req: { headers: { host: 'chat.example' } },
      err: { message: 'it broke', code: '57014', stack: expect.stringContaining('it broke') },
    })
  })

  test('reads well on a terminal, and is JSON for programs', async () => {
    expect((await logged(`log.warn('careful')`, 'pretty')).join()).toMatch(/\d\d:\d\d:\d\d.*WARN.*careful/)
    expect(JSON.parse((await logged(`log.warn('careful')`, 'auto'))[0] ?? '')).toMatchObject({ msg: 'careful' })
  })
})

/** What a program that does this would print. */
async function logged(work: string, format = 'json'): Promise<string[]> {
  const program = `
    import { openLog } from ${JSON.stringify(join(import.meta.dirname, 'log.ts'))}
    const log = openLog({ LOG_LEVEL: 'trace', LOG_FORMAT: '${format}' })
    ${work}`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program])
  return stdout.trim().split('\n')
}
