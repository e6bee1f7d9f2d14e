import type { OwnChannel, Room } from '@portico/contract'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { expectOk } from '../../test/expect-ok.ts'
import { hostilePictures } from '../../test/hostile-pictures.ts'
import { hasMemoryCgroups, memoryCgroup } from '../../test/memory-cgroup.ts'
import { Person, type Answer } from '../../test/person.ts'
import { startPortico } from '../../test/portico-process.ts'
import { preparedDataFolder } from '../../test/prepared-data-folder.ts'

/** How often each person sends a picture at once. Two are decoded at the same time, and the others wait. */
const TIMES = 2

/** What self-hosting.md and `portico doctor` ask for. */
const LEAST_MEMORY = 512 * 1024 ** 2

describe.skipIf(!hasMemoryCgroups)('a portal with the least memory that it needs', () => {
  test('survives pictures that take hundreds of megabytes to decode', { timeout: 600_000 }, async () => {
    const group = memoryCgroup(LEAST_MEMORY)
    const { url, said, output } = await startPortico({ PORTICO_DATA: await preparedDataFolder() }, group)
    const ada = await new Person({ url }).setUp(await said(/set-up\?code=(\S+)/))
    expectOk(await ada.patch('/instance', { registrationOpen: true }))
    const channel = expectOk(await ada.post<OwnChannel>('/channels', { name: 'Ateliers', open: true }))
    const room = expectOk(await ada.post<Room>(`/channels/${channel.id}/rooms`, { name: 'workshop', type: 'text' }))
    const ben = await new Person({ url }).signUp()
    expectOk(await ben.post(`/channels/${channel.id}/join`))
    const upload = (person: Person, file: Buffer): Promise<Answer> =>
      person.request('POST', `/rooms/${room.id}/files?name=plan`, Uint8Array.from(file), {
        'content-type': 'application/octet-stream',
      })
    const setPicture = (person: Person, file: Buffer): Promise<Answer> =>
      person.request('PUT', '/account/picture', Uint8Array.from(file), { 'content-type': 'image/png' })

    for (const [what, file] of Object.entries(await hostilePictures())) {
      const attack = Array.from({ length: TIMES }, () => [ada, ben])
        .flat()
        .flatMap((person) => [upload(person, file), setPicture(person, file)])
      const answers = await Promise.all(attack)
      // Files are stored in any case. A picture is made, or refused as too large, or as too many at once.
      for (const { status, body } of answers) {
        expect([200, 201, 400, 429, 504], `${what}: ${JSON.stringify(body)}\n${output()}`).toContain(status)
      }
      expect((await fetch(`${url}/readyz`)).status, what).toBe(200)
      expect(group.killed(), what).toBe(0)
    }

    const photo = await sharp({ create: { width: 4000, height: 3000, channels: 3, background: 'green' } })
      .jpeg()
      .toBuffer()
    expect(expectOk(await upload(ben, photo))).toMatchObject({ width: 4000, height: 3000 })
    expect(expectOk(await setPicture(ben, photo))).toMatchObject({ avatar: `${ben.id}.webp` })
  })
})
