import { LIMITS, type Account, type Application, type AuditEntry, type OwnChannel } from '@portico/contract'
import sharp, { type Sharp } from 'sharp'
import { describe, expect, test } from 'vitest'
import { expectRefusal } from '../../test/expect-refusal.ts'
import type { Answer, Person } from '../../test/person.ts'
import { startServer } from '../../test/start-server.ts'
import { expectOk, portal, channelFixture } from '../../test/channel-fixture.ts'

const { server } = await portal()
const RED = { r: 200, g: 20, b: 30 }
const BLUE = { r: 20, g: 30, b: 200 }

function plain(width: number, height: number, background = RED): Sharp {
  return sharp({ create: { width, height, channels: 3, background } })
}

/** Red on the left, blue on the right. */
function halves(side: number): Sharp {
  const right = { create: { width: side / 2, height: side, channels: 3 as const, background: BLUE } }
  return plain(side, side).composite([{ input: right, gravity: 'east' }])
}

function send<T = Account>(person: Person, path: string, file: Uint8Array, type = 'image/png'): Promise<Answer<T>> {
  return person.request('PUT', path, Uint8Array.from(file), { 'content-type': type })
}

async function served(avatar: string, version: number | string): Promise<Response> {
  return fetch(`${server.url}/media/avatars/${avatar}?v=${version}`)
}

async function shown({ avatar, avatarVersion }: Pick<Account, 'avatar' | 'avatarVersion'>): Promise<Buffer> {
  const response = await served(avatar, avatarVersion)
  expect(response.status).toBe(200)
  return Buffer.from(await response.arrayBuffer())
}

/** The dominant color near a corner. */
async function colorAt(picture: Buffer, left: number, top: number): Promise<'red' | 'blue'> {
  const [r = 0, , b = 0] = await sharp(picture).extract({ left, top, width: 1, height: 1 }).raw().toBuffer()
  return r > b ? 'red' : 'blue'
}

describe('setAccountPicture', () => {
  test.each(['png', 'jpeg', 'webp', 'gif'] as const)('crops a %s to a square', async (format) => {
    const person = await (await channelFixture()).newPerson()
    const file = await plain(300, 200).toFormat(format).toBuffer()

    const account = expectOk(await send(person, '/account/picture', file, `image/${format}`))

    expect(account).toMatchObject({ avatar: `${person.id}.webp`, avatarVersion: 2 })
    expect(expectOk(await person.get('/session'))).toMatchObject({ account })
    const made = await sharp(await shown(account)).metadata()
    expect(made).toMatchObject({ format: 'webp', width: LIMITS.pictureSide, height: LIMITS.pictureSide })
  })

  test('may be cached forever with its version, and is revalidated without one', async () => {
    const person = await (await channelFixture()).newPerson()
    const { avatar, avatarVersion } = expectOk(
      await send(person, '/account/picture', await plain(9, 9).png().toBuffer()),
    )

    const first = await served(avatar, avatarVersion)
    expect(first.headers.get('content-type')).toBe('image/webp')
    expect(first.headers.get('cache-control')).toContain('immutable')
    expect(first.headers.get('content-security-policy')).toMatch(/^default-src 'none'.*sandbox/)
    expect((await served(avatar, 1)).headers.get('cache-control')).toBe('public, no-cache')
    const etag = first.headers.get('etag') ?? ''
    const again = await fetch(`${server.url}/media/avatars/${avatar}`, { headers: { 'if-none-match': etag } })
    expect(again.status).toBe(304)
  })

  test('applies the EXIF orientation and drops all metadata', async () => {
    const person = await (await channelFixture()).newPerson()
    const file = await halves(80)
      .jpeg()
      .withExif({ IFD0: { Orientation: '6', Copyright: 'Somebody' }, IFD3: { GPSLatitude: '51/1 30/1 0/1' } })
      .withMetadata({ orientation: 6 })
      .toBuffer()

    const picture = await shown(expectOk(await send(person, '/account/picture', file, 'image/jpeg')))

    // Rotated clockwise by 90°, the left side is at the top.
    expect([await colorAt(picture, 128, 20), await colorAt(picture, 128, 236)]).toEqual(['red', 'blue'])
    const { exif, icc, xmp, orientation } = await sharp(picture).metadata()
    expect({ exif, icc, xmp, orientation }).toEqual({})
  })

  test('uses the first frame of an animation', async () => {
    const person = await (await channelFixture()).newPerson()
    const frames = await Promise.all([RED, BLUE].map((color) => plain(20, 20, color).png().toBuffer()))
    const file = await sharp(frames, { join: { animated: true } })
      .gif()
      .toBuffer()

    const picture = await shown(expectOk(await send(person, '/account/picture', file, 'image/gif')))

    expect(await colorAt(picture, 128, 128)).toBe('red')
    expect((await sharp(picture).metadata()).pages).toBeUndefined()
  })

  test('uses the middle of a picture that is not square', async () => {
    const person = await (await channelFixture()).newPerson()
    const file = await plain(1, 30_000).png().toBuffer()
    const made = await sharp(await shown(expectOk(await send(person, '/account/picture', file)))).metadata()
    expect(made).toMatchObject({ width: LIMITS.pictureSide, height: LIMITS.pictureSide })
  })

  test('detects the format from the content, not from the name', async () => {
    const person = await (await channelFixture()).newPerson()
    const file = await plain(9, 9).jpeg().toBuffer()
    expect(expectOk(await send(person, '/account/picture', file, 'image/gif'))).toMatchObject({ avatarVersion: 2 })
  })

  test('rejects an incomplete or invalid picture', async () => {
    const person = await (await channelFixture()).newPerson()
    const noise = { create: { width: 90, height: 90, channels: 3 as const, background: RED, noise: NOISE } }
    const png = await sharp(noise).png().toBuffer()
    const jpeg = await sharp(noise).jpeg().toBuffer()
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect/></svg>')
    const outside = Buffer.from(
      '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><image href="file:///etc/passwd"/></svg>',
    )
    const files: Record<string, Buffer> = {
      'an SVG': svg,
      'an SVG that reads a file': outside,
      'a page': Buffer.from('<!doctype html><script>alert(1)</script>'),
      'a PDF': Buffer.from('%PDF-1.4\n1 0 obj<<>>endobj\ntrailer<<>>'),
      'a TIFF': await plain(9, 9).tiff().toBuffer(),
      'an AVIF': await plain(9, 9).avif().toBuffer(),
      'a PNG that was cut off': png.subarray(0, png.length / 2),
      'a JPEG that was cut off': jpeg.subarray(0, jpeg.length / 2),
      'the head of a PNG': png.subarray(0, 40),
      zeros: Buffer.alloc(1000),
    }
    for (const [what, file] of Object.entries(files)) {
      for (const type of ['image/png', 'image/svg+xml']) {
        expect(await send(person, '/account/picture', file, type), what).toMatchObject({
          status: 400,
          body: { field: 'picture', reason: 'not_a_picture' },
        })
      }
    }
    const nothing = await person.request('PUT', '/account/picture', undefined, { 'content-type': 'image/png' })
    expectRefusal(nothing, 'badRequest', { field: 'picture' })
    expect(expectOk(await person.get('/session'))).toMatchObject({ account: { avatar: `${person.id}.svg` } })
  })

  test('rejects a decompression bomb and a file that is too large', async () => {
    const person = await (await channelFixture()).newPerson()
    const bomb = await sharp({
      create: { width: 7000, height: 7000, channels: 3, background: RED },
    })
      .greyscale()
      .png({ compressionLevel: 1 })
      .toBuffer()
    expect(bomb.length).toBeLessThan(LIMITS.pictureBytes)
    expect(await send(person, '/account/picture', bomb)).toMatchObject({
      status: 400,
      body: { field: 'picture', reason: 'too_many_pixels' },
    })
    expect(await send(person, '/account/picture', Buffer.alloc(LIMITS.pictureBytes + 1))).toMatchObject({
      status: 400,
      body: { field: 'picture', reason: 'picture_too_large', message: 'picture: must be at most 8 MiB' },
    })
  })

  test('answers many concurrent uploads in time, or with Retry-After', async () => {
    const person = await (await channelFixture()).newPerson()
    const file = await plain(40, 40).png().toBuffer()
    const answers = await Promise.all(
      Array.from({ length: LIMITS.picturesPerMinute + 5 }, () => send(person, '/account/picture', file)),
    )
    const statuses = answers.map(({ status }) => status)
    expect([...new Set(statuses)].toSorted()).toEqual([200, 429])
    for (const { headers } of answers.filter(({ status }) => status === 429)) {
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    }
    const { account } = expectOk(await person.get<{ account: Account }>('/session'))
    expect(account.avatarVersion).toBe(1 + statuses.filter((status) => status === 200).length)
  })

  test('requires a picture as the body, the portal’s origin and a session', async () => {
    const person = await (await channelFixture()).newPerson()
    const file = Uint8Array.from(await plain(9, 9).png().toBuffer())
    const wrongType = await send(person, '/account/picture', file, 'application/octet-stream')
    expectRefusal(wrongType, 'badRequest', { field: 'content-type', reason: 'not_a_picture' })
    const foreign = { 'content-type': 'image/png', origin: 'http://evil.example' }
    expectRefusal(await person.request('PUT', '/account/picture', file, foreign), 'forbidden', {
      reason: 'foreign_origin',
    })
    const nobody = { 'content-type': 'image/png', cookie: '' }
    expectRefusal(await person.request('PUT', '/account/picture', file, nobody), 'unauthorized', {
      reason: 'not_signed_in',
    })
    const elsewhere = await person.request('PATCH', '/account', file, { 'content-type': 'image/png' })
    expectRefusal(elsewhere, 'badRequest', { field: 'content-type' })
  })
})

const NOISE = { type: 'gaussian' as const, mean: 128, sigma: 60 }

describe('removeAccountPicture', () => {
  test('restores the initials and deletes the file', async () => {
    const person = await (await channelFixture()).newPerson()
    const { avatar } = expectOk(await send(person, '/account/picture', await plain(9, 9).png().toBuffer()))

    const account = expectOk(await person.delete<Account>('/account/picture'))

    expect(account).toMatchObject({ avatar: `${person.id}.svg`, avatarVersion: 3 })
    expect((await served(avatar, 2)).status).toBe(404)
    expect((await served(account.avatar, 3)).headers.get('content-type')).toBe('image/svg+xml')
    expect(expectOk(await person.delete<Account>('/account/picture'))).toEqual(account)
  })
})

describe('setApplicationPicture and removeApplicationPicture', () => {
  test('are for the owner, and change the bot’s picture everywhere', async () => {
    const { owner, people, bots, at } = await channelFixture({ people: 1, bots: 1 })
    const [bot] = bots
    const path = `/applications/${bot.application.id}/picture`
    const file = await plain(9, 9).png().toBuffer()
    expectRefusal(await send(people[0], path, file), 'unprocessable', { reason: 'no_such_application' })
    expectRefusal(await people[0].delete(path), 'unprocessable', { reason: 'no_such_application' })

    const application = expectOk(await send<Application>(owner, path, file))

    expect(application.bot).toMatchObject({ avatar: `${bot.id}.webp`, avatarVersion: 2 })
    expect(expectOk(await bot.get('/me'))).toMatchObject({ bot: application.bot })
    const { members } = expectOk(
      await people[0].get<{ members: { id: string; avatar: string }[] }>(`${at}/members?limit=100`),
    )
    expect(members.find(({ id }) => id === bot.id)?.avatar).toBe(`${bot.id}.webp`)
    expect((await shown(application.bot)).length).toBeGreaterThan(0)
    expect(expectOk(await owner.delete<Application>(path)).bot).toMatchObject({
      avatar: `${bot.id}.svg`,
      avatarVersion: 3,
    })
  })
})

describe('setChannelPicture and removeChannelPicture', () => {
  test('require the right, and write to the audit log', async () => {
    const { owner, people, at, channel } = await channelFixture({ people: 1 })
    const path = `${at}/picture`
    const file = await plain(9, 9).png().toBuffer()
    expectRefusal(await send(people[0], path, file), 'forbidden', { requiredRight: 'manage_channel' })
    expectRefusal(await people[0].delete(path), 'forbidden', { requiredRight: 'manage_channel' })

    const changed = expectOk(await send<OwnChannel>(owner, path, file))

    expect(changed).toMatchObject({ image: `${channel.id}.webp`, avatarVersion: 2 })
    const { channels } = expectOk(await people[0].get<{ channels: OwnChannel[] }>('/channels'))
    expect(channels).toMatchObject([{ image: `${channel.id}.webp` }])
    expect((await shown({ ...changed, avatar: changed.image })).length).toBeGreaterThan(0)

    expect(expectOk(await owner.delete(path))).toMatchObject({ image: `${channel.id}.svg`, avatarVersion: 3 })
    expect((await served(changed.image, 2)).status).toBe(404)
    const { entries } = expectOk(await owner.get<{ entries: AuditEntry[] }>(`${at}/audit-log`))
    expect(entries.map(({ action }) => action).slice(0, 2)).toEqual(['channel.picture_removed', 'channel.picture_set'])
  })
})

/** Stops the server of this file, so it must be the last test. */
test('a picture survives a restart', async () => {
  const person = await (await channelFixture()).newPerson()
  const { avatar } = expectOk(await send(person, '/account/picture', await plain(9, 9).png().toBuffer()))
  await server.close()
  const { DATABASE_URL, PORTICO_DATA } = server.services.config
  const other = await startServer({ DATABASE_URL: DATABASE_URL ?? '', PORTICO_DATA })
  const response = await fetch(`${other.url}/media/avatars/${avatar}?v=2`)
  expect(response.status).toBe(200)
})
