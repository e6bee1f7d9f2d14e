import type { Locator, Page } from 'playwright-core'
import type { UploadedFile } from '@portico/contract'
import sharp from 'sharp'
import { expect } from 'vitest'
import { expectOk } from '../../server/test/channel-fixture.ts'
import type { Person } from '../../server/test/person.ts'

export interface SampleFile {
  readonly name: string
  readonly mimeType: string
  readonly buffer: Buffer
}

/** A picture in one color. */
export async function pictureFile(name: string, { width = 320, height = 200 } = {}): Promise<SampleFile> {
  const create = { width, height, channels: 3 as const, background: { r: 40, g: 90, b: 180 } }
  return { name, mimeType: 'image/png', buffer: await sharp({ create }).png().toBuffer() }
}

export function textFile(name: string, content = 'a plan'): SampleFile {
  return { name, mimeType: 'text/plain', buffer: Buffer.from(content) }
}

/** Uploads a file without a browser. */
export async function upload(person: Person, roomId: string, { name, buffer }: SampleFile): Promise<UploadedFile> {
  const path = `/rooms/${roomId}/files?name=${encodeURIComponent(name)}`
  return expectOk(await person.request<UploadedFile>('POST', path, new Uint8Array(buffer)))
}

export function attachButton(page: Page): Locator {
  return page.getByRole('button', { name: /^Attach files, up to 25 MB each$/ })
}

/** Chooses files with the composer's button. */
export async function choose(page: Page, files: SampleFile[]): Promise<void> {
  const opened = page.waitForEvent('filechooser')
  await attachButton(page).click()
  await (await opened).setFiles(files)
}

/** The files of the message that is being written. */
export function tray(page: Page): Locator {
  return page.getByRole('region', { name: 'Attached files' })
}

/** The entry of a file in the tray. */
export function entry(page: Page, name: string): Locator {
  return tray(page).getByRole('listitem').filter({ hasText: name })
}

/** Waits until as many pictures are loaded. */
export async function loaded(pictures: Locator, count: number): Promise<void> {
  const ready = () =>
    pictures.evaluateAll(
      (found) => found.filter((one) => one instanceof HTMLImageElement && one.naturalWidth > 0).length,
    )
  await expect.poll(ready, { timeout: 60_000 }).toBe(count)
}

/** Drops or pastes a file of this size, as the browser would do it. */
export async function transfer(
  target: Locator,
  kind: 'drop' | 'paste',
  { name, size }: { name: string; size: number },
) {
  await target.evaluate(
    (element, given) => {
      const data = new DataTransfer()
      data.items.add(new File([new Uint8Array(given.size)], given.name))
      const how = { bubbles: true, cancelable: true }
      element.dispatchEvent(
        given.kind === 'drop'
          ? new DragEvent('drop', { ...how, dataTransfer: data })
          : new ClipboardEvent('paste', { ...how, clipboardData: data }),
      )
    },
    { kind, name, size },
  )
}

/** Drags files over the page, without dropping them. */
export async function dragOver(target: Locator): Promise<void> {
  await target.evaluate((element) => {
    const data = new DataTransfer()
    data.items.add(new File(['x'], 'dragged.txt'))
    element.dispatchEvent(new DragEvent('dragover', { bubbles: true, cancelable: true, dataTransfer: data }))
  })
}
