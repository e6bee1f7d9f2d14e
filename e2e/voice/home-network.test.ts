import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { dataFolder } from '../../server/test/data-folder.ts'
import { launch } from '../../server/test/portico-process.ts'
import { canSeparate, twoMachines, type Machine } from '../../server/test/separate-machines.ts'
import type { Demo } from '../../server/src/command-line/demo/demo-file.ts'
import { executablePath, openDeviceBrowser, type Visitor } from '../browser.ts'
import { DESKTOP, fillIn, follow, signedOut } from '../portal-visit.ts'
import { controls, hears, isConnected, seesPicture } from './voice-visit.ts'

const run = promisify(execFile)

describe.skipIf(!canSeparate || executablePath === undefined)(
  'the demo on two machines (network namespaces, as root)',
  () => {
    test('lets them hear and see each other without a setting, and follows a new address', async () => {
      const [home, other] = await twoMachines()
      const data = await dataFolder()
      // As on a fresh clone: these would keep the demo of a test to itself.
      const unset = { MEDIA: '', HTTPS_PORT: '' }
      const server = launch(['demo'], { ...unset, PORTICO_DATA: data }, { through: home.through })
      await server.said(/Ctrl\+C/)
      const demo = JSON.parse(await readFile(join(data, 'demo.json'), 'utf8')) as Demo
      const https = await server.said(/Other devices +(https:\S+)/)
      expect(https).toBe(`https://${home.address}:3443`)

      const path = voiceRoom(demo)
      const [hana, boris] = [personOf(demo, 'Hana Sato'), personOf(demo, 'Boris Lem')]
      const [there, elsewhere] = [await browserOn(home), await browserOn(other)]
      const his = await elsewhere.open(https + path, {
        ...signedOut,
        viewport: DESKTOP,
        serviceWorkers: 'allow',
        // As after the warning, which was accepted: like then, the browser refuses service workers.
        ignoreHTTPSErrors: true,
        provokes: [/An SSL certificate error occurred when fetching the script/],
        permissions: ['microphone', 'camera', 'notifications'],
      })
      const hers = await there.open(demo.url + path, { ...signedOut, viewport: DESKTOP })
      await enter(hers, hana)
      await enter(his, boris)
      for (const page of [hers, his]) await page.getByRole('button', { name: 'Join', exact: true }).click()
      for (const page of [hers, his]) await isConnected(page)
      for (const page of [hers, his]) await controls(page).getByRole('button', { name: 'Turn camera on' }).click()
      await hears(hers)
      await hears(his)
      await seesPicture(hers, `${boris.name}’s camera`)
      await seesPicture(his, `${hana.name}’s camera`)

      await follow(his, '/settings/notifications')
      const mentions = his.getByRole('switch', { name: 'Notify me about messages' })
      await mentions.click()
      await his.getByText('Your browser doesn’t trust this portal’s certificate').first().waitFor()
      await expect.poll(() => mentions.isChecked()).toBe(false)

      await home.addAddress('10.77.0.9')
      const ask = `fetch('https://10.77.0.9:3443/healthz').then(({ ok }) => process.exit(ok ? 0 : 1))`
      const env = { ...process.env, NODE_EXTRA_CA_CERTS: join(data, 'https.pem') }
      const [command, ...args] = [...other.through, process.execPath, '-e', ask]
      await expect.poll(() => run(command, args, { env }).then(() => 'served', String)).toBe('served')
    })
  },
)

async function browserOn(machine: Machine): Promise<Visitor> {
  return openDeviceBrowser(await machine.programFor(executablePath ?? ''))
}

function voiceRoom({ channels }: Demo): string {
  const [channel] = channels
  const room = channel?.rooms.find(({ type, private: isPrivate }) => type === 'voice' && !isPrivate)
  return `/c/${channel?.id}/${room?.id}`
}

function personOf({ people }: Demo, name: string) {
  const person = people.find((each) => each.name === name)
  if (!person) throw new Error(`${name} is not in the demo`)
  return person
}

async function enter(page: Page, person: { name: string; password: string }): Promise<void> {
  await fillIn(page, person)
  await page.getByRole('button', { name: 'Sign in' }).click()
}
