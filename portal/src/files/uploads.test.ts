import { IDBFactory } from 'fake-indexeddb'
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { dismiss, toasts } from '#ui/toasts.svelte.ts'
import { Uploads } from './uploads.svelte.ts'

const MEGABYTE = 1024 ** 2

interface Sent {
  readonly url: string
  readonly body: File
  aborted: boolean
  progress(loaded: number): void
  answer(id: string, more?: object): void
  refuse(status: number, more?: object): void
  lose(): void
}

const database = new IDBFactory()
/** Each test has its own: what others store may be committed later. */
let account = 0
let sent: Sent[]

beforeEach(() => {
  sent = []
  vi.stubGlobal('XMLHttpRequest', FakeRequest)
  vi.stubGlobal('indexedDB', database)
  account += 1
})

class FakeRequest extends EventTarget {
  readonly upload = new EventTarget()
  status = 0
  responseText = ''
  #url = ''
  #entry: Sent | undefined

  open(_method: string, url: string): void {
    this.#url = url
  }

  setRequestHeader(): void {}

  abort(): void {
    if (this.#entry) this.#entry.aborted = true
    this.#end('abort')
  }

  send(body: File): void {
    const end = (status: number, answer: object): void => {
      this.status = status
      this.responseText = JSON.stringify(answer)
      this.#end('load')
    }
    this.#entry = {
      url: this.#url,
      body,
      aborted: false,
      progress: (loaded) => this.upload.dispatchEvent(Object.assign(new Event('progress'), { loaded })),
      answer: (id, more = {}) => end(201, { id, name: body.name, url: `/files/${id}/${body.name}`, ...more }),
      refuse: (status, more = {}) => end(status, { status: 'error', error: 'Refused', message: 'No.', ...more }),
      lose: () => this.#end('error'),
    }
    sent.push(this.#entry)
  }

  #end(how: 'load' | 'error' | 'abort'): void {
    this.dispatchEvent(new Event(how))
    this.dispatchEvent(new Event('loadend'))
  }
}

function file(name: string, size = 10): File {
  return new File([new Uint8Array(size)], name, { type: name.endsWith('.png') ? 'image/png' : '' })
}

function uploadsWith(...files: File[]): Uploads {
  const uploads = new Uploads({ accountId: `${account}`, roomId: 'room' })
  uploads.add(files, 25 * MEGABYTE)
  return uploads
}

/** The request with this number, once it was made. */
async function request(number: number): Promise<Sent> {
  await vi.waitFor(() => expect(sent.length).toBeGreaterThan(number), { timeout: 50_000 })
  const one = sent[number]
  if (!one) throw new Error('was just there')
  return one
}

function states(uploads: Uploads): string[] {
  return uploads.list.map(({ state }) => state)
}

describe('uploads', () => {
  test('sends two files at a time, and counts what was sent', async () => {
    const uploads = uploadsWith(file('a b.txt'), file('b.txt'), file('c.txt'))
    expect(sent.map(({ url }) => url)).toEqual([
      '/portal/v1/rooms/room/files?name=a%20b.txt',
      '/portal/v1/rooms/room/files?name=b.txt',
    ])
    sent[0]?.progress(4)
    expect(uploads.list[0]?.sent).toBe(4)
    expect(uploads.done).toBe(false)
    sent[0]?.answer('1')
    const third = await request(2)
    sent[1]?.answer('2')
    third.answer('3')
    await vi.waitFor(() => expect(uploads.done).toBe(true))
  })

  test('give the message their Markdown, with the description of a picture', async () => {
    const uploads = uploadsWith(file('cat.png'), file('plan.pdf'))
    const [picture] = uploads.list
    if (picture) picture.alt = 'A [cat]'
    sent[0]?.answer('1', { width: 8, height: 6, url: '/files/1/cat.png?w=8&h=6' })
    sent[1]?.answer('2')
    await vi.waitFor(() => expect(uploads.done).toBe(true))
    expect(uploads.take()).toEqual(['![A (cat)](/files/1/cat.png?w=8&h=6)', '[plan.pdf](/files/2/plan.pdf)'])
    expect(uploads.list).toEqual([])
  })

  test('count as long as they will be while they are being uploaded', async () => {
    const uploads = uploadsWith(file('кошка.png'))
    const [before = ''] = uploads.markdown
    const id = '0199d2f4-5b1e-7c44-a1d3-3a6f0c2e9b57'
    const url = `/files/${id}/${encodeURIComponent('кошка.png')}?w=1600&h=1200`
    sent[0]?.answer(id, { width: 1600, height: 1200, url })
    await vi.waitFor(() => expect(uploads.done).toBe(true))
    expect(before.length).toBeGreaterThanOrEqual((uploads.markdown[0] ?? '').length)
  })

  test('refuse a file over the limit without sending it', () => {
    const uploads = new Uploads({ accountId: `${account}`, roomId: 'room' })
    uploads.add([file('large.bin', 2 * MEGABYTE + 1), file('small.bin')], 2 * MEGABYTE)
    expect(states(uploads)).toEqual(['failed', 'uploading'])
    expect(uploads.list[0]?.failure).toBe('Too large: 2.1 MB. The limit is 2 MB.')
    expect(uploads.list[0]?.retryable).toBe(false)
    expect(sent.map(({ body }) => body.name)).toEqual(['small.bin'])
  })

  test('wait for the connection when it is lost, and go on without being asked', async () => {
    const uploads = uploadsWith(file('a.txt'))
    uploads.sending = true
    sent[0]?.lose()
    await vi.waitFor(() => expect(states(uploads)).toEqual(['waiting']))
    expect(uploads.failed).toBe(false)
    uploads.hurry()
    const again = await request(1)
    expect(again.body.name).toBe('a.txt')
    again.answer('1')
    await vi.waitFor(() => expect(uploads.done).toBe(true))
    expect(uploads.sending).toBe(true)
  })

  test('retry after a while even if nobody says that the connection is back', async () => {
    const uploads = uploadsWith(file('a.txt'))
    sent[0]?.refuse(503)
    const again = await request(1)
    again.answer('1')
    await vi.waitFor(() => expect(uploads.done).toBe(true))
  })

  test('stop at a refusal, and keep the message', async () => {
    const uploads = uploadsWith(file('a.txt'), file('b.txt'))
    uploads.sending = true
    sent[0]?.refuse(422, { reason: 'storage_full' })
    await vi.waitFor(() => expect(states(uploads)).toEqual(['failed', 'uploading']))
    expect(uploads.sending).toBe(false)
    const [failed] = uploads.list
    if (failed) uploads.retry(failed)
    const again = await request(2)
    again.answer('1')
    await vi.waitFor(() => expect(states(uploads)).toEqual(['done', 'uploading']))
  })

  test('cancel the request of a file that is removed, and start the next one', async () => {
    const uploads = uploadsWith(file('a.txt'), file('b.txt'), file('c.txt'))
    const [first] = uploads.list
    if (first) uploads.remove(first)
    expect(sent[0]?.aborted).toBe(true)
    await request(2)
    expect(uploads.list.map((upload) => upload.file.name)).toEqual(['b.txt', 'c.txt'])
  })

  test('are at most ten for a message', () => {
    const uploads = uploadsWith(...Array.from({ length: 12 }, (_, index) => file(`${index}.txt`)))
    expect(uploads.list).toHaveLength(10)
    expect(toasts.shown.map(({ text }) => text())).toEqual(['A message can have up to 10 files.'])
    // All test files share the page's toasts.
    for (const { id } of toasts.shown) dismiss(id)
  })

  test('are there again on the next page, without those that were removed', async () => {
    const uploads = uploadsWith(file('a.txt'), file('b.txt'), file('cat.png'))
    sent[0]?.answer('1')
    await request(2)
    const [, second, picture] = uploads.list
    await vi.waitFor(() => expect(uploads.wouldBeLost).toBe(false), { timeout: 50_000 })
    if (second) uploads.remove(second)
    if (picture) {
      picture.alt = 'A cat'
      uploads.changed(picture)
    }
    await expect
      .poll(async () => (await nextPage()).list.map(({ file, alt }) => [file.name, alt]))
      .toEqual([
        ['a.txt', ''],
        ['cat.png', 'A cat'],
      ])
    expect(states(await nextPage())).toEqual(['done', 'uploading'])
    expect((await nextPage('someone else')).list).toEqual([])
  })

  test('are uploaded again if the server has deleted them meanwhile', async () => {
    const uploads = uploadsWith(file('a.txt'))
    await vi.waitFor(() => expect(uploads.wouldBeLost).toBe(false), { timeout: 50_000 })
    sent[0]?.answer('1')
    await expect.poll(async () => states(await nextPage())).toEqual(['done'])
    uploads.renew()
    expect(states(uploads)).toEqual(['done'])
    vi.useFakeTimers({ now: Date.now() + 3_600_000, toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    expect(states(await nextPage())).toEqual(['uploading'])
    uploads.renew()
    expect(states(uploads)).toEqual(['uploading'])
  })

  test('would be lost with the page if there is no space to store them', async () => {
    const uploads = new Uploads({ accountId: `${account}`, roomId: 'room' })
    uploads.add([file('a.txt', 200 * MEGABYTE), file('b.txt', 60 * MEGABYTE)], 300 * MEGABYTE)
    const [first, second] = uploads.list
    await vi.waitFor(() => expect(first?.storedAs).toBeDefined(), { timeout: 50_000 })
    expect(second?.storedAs).toBeUndefined()
    expect(uploads.wouldBeLost).toBe(true)
  })
})

/** The uploads of a page that is opened later. */
async function nextPage(accountId = `${account}`): Promise<Uploads> {
  const uploads = new Uploads({ accountId, roomId: 'room' })
  await uploads.restored
  return uploads
}
