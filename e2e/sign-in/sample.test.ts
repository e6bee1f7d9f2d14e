import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { OAuthState } from '@portico/contract'
import { expect, onTestFinished, test } from 'vitest'
import { signInSample } from '../../portal/src/applications/sign-in-sample.ts'
import { freePort } from '../../server/test/free-port.ts'
import { allowed, SITE, Website } from '../../server/test/website.ts'
import { expectOk, portal, channelFixture } from '../../server/test/channel-fixture.ts'

/** Where this checkout’s packages are installed. */
const cache = join(import.meta.dirname, '../../.cache')

/** What the sample leaves to the website: the redirect, and the request with which the browser returns. */
const WAY_THERE_AND_BACK = `
import { createInterface } from 'node:readline/promises'
console.log(url.href)
const currentUrl = new URL(await createInterface({ input: process.stdin }).question(''))
`

test('the sign-in sample signs a person in as shown', async () => {
  // The library calls the portal at its PUBLIC_URL, so it must be a real address here.
  const port = await freePort()
  await portal({ PORT: String(port), PUBLIC_URL: `http://127.0.0.1:${port}` })
  const { server, owner, newPerson } = await channelFixture()
  const site = await Website.of({ publicUrl: server.url, addressOf: () => server.url }, owner)
  const { oauth } = expectOk(await owner.get<{ oauth: OAuthState }>(`/applications/${site.applicationId}/oauth`))
  const [there, back, ...others] = signInSample(oauth, server.url).split(`\n// Back at ${SITE}`)
  expect(others).toEqual([])

  await mkdir(cache, { recursive: true })
  const folder = await mkdtemp(join(cache, 'sign-in-sample-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const program = join(folder, 'site.mjs')
  await writeFile(
    program,
    `${there}${WAY_THERE_AND_BACK}// Back at ${SITE}${back}\nconsole.log(JSON.stringify(person))\n`,
  )
  const running = spawn(process.execPath, [program], {
    env: { PATH: process.env['PATH'], CLIENT_SECRET: site.clientSecret },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const ended = once(running, 'close')
  const lines = createInterface({ input: running.stdout })[Symbol.asyncIterator]()

  const person = await newPerson()
  const browser = site.browserOf(person)
  const { value: url } = (await lines.next()) as { value: string }
  running.stdin.end(`${(await allowed(browser, await browser.open(url))).href}\n`)
  const { value: printed } = (await lines.next()) as { value: string }
  expect(JSON.parse(printed)).toMatchObject({ id: person.id, name: person.name })
  expect(await ended).toEqual([0, null])
})
