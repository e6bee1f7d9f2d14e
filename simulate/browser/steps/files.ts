import { wordsIn } from '../typed-texts.ts'
import type { Visitor } from '../visitor.ts'
import type { Scene, Step } from './step.ts'
import { focusComposer, send, typeText } from './write.ts'

interface SampleFile {
  readonly name: string
  readonly type: string
  readonly content: Uint8Array
}

/** A message may have ten files: more are refused. */
const MOST_WAITING = 5
const ENTRIES = '[data-landmark="composer"] section li'

/** Some files, each with a name that nobody else gives. What is attached must stay or be sent, like what is typed. */
function sampleFiles({ random, typed, place }: Visitor, { picture }: Scene): readonly SampleFile[] {
  const name = (): string => typed.next('draft', place?.roomId)
  const kinds = [
    (): SampleFile => ({ name: `${name()}.png`, type: 'image/png', content: picture }),
    (): SampleFile => ({ name: `${name()} log.txt`, type: 'text/plain', content: Buffer.from('wind west, four\n') }),
    // One that is empty is refused, and has to be removed before the message can be sent.
    (): SampleFile => ({
      name: `${name()}.bin`,
      type: 'application/octet-stream',
      content: Buffer.alloc(random.chance(0.15) ? 0 : 100),
    }),
  ]
  const chosen = random.some(kinds, 0.5)
  return (chosen.length > 0 ? chosen : kinds.slice(0, 1)).map((make) => make())
}

/** As `page/page-view.ts` takes them. */
function asArgument(files: readonly SampleFile[]): string {
  return JSON.stringify(
    files.map(({ name, type, content }) => ({ name, type, content: Buffer.from(content).toString('base64') })),
  )
}

async function mayAttach({ page }: Visitor): Promise<boolean> {
  const hasButton = (await page.$('[data-landmark="composer"] input[type="file"]')) !== null
  return hasButton && (await page.locator(ENTRIES).count()) <= MOST_WAITING
}

export const attach: Step = {
  name: 'attach files',
  weight: 3,
  run: async (visitor, scene) => {
    const { page, random } = visitor
    if (!(await mayAttach(visitor))) return 'nowhere to attach files'
    const files = sampleFiles(visitor, scene)
    await page.setInputFiles(
      '[data-landmark="composer"] input[type="file"]',
      files.map(({ name, type, content }) => ({ name, mimeType: type, buffer: Buffer.from(content) })),
    )
    const names = files.map(({ name }) => name).join(', ')
    return random.chance(0.3) ? `${names}: left in the tray` : sendWith(visitor, scene, names)
  },
}

export const dropFiles: Step = {
  name: 'drop files on a room',
  weight: 3,
  run: async (visitor, scene) => {
    const { page, random } = visitor
    if (visitor.isPhone || !(await mayAttach(visitor))) return 'nowhere to drop files'
    // Under a dialog nothing can be dropped.
    if ((await page.locator('dialog:modal').count()) > 0) return 'a dialog is open'
    const files = sampleFiles(visitor, scene)
    const names = files.map(({ name }) => name)
    await visitor.ask(`monkey.drag(${asArgument(files)})`)
    await page.waitForTimeout(random.between(50, 400))
    const isDropped = random.chance(0.8) && (await visitor.ask<boolean>(`monkey.drop(${asArgument(files)})`))
    if (!isDropped) {
      await visitor.ask('monkey.dragAway()')
      giveBack(visitor, files)
      return 'dragged away again'
    }
    const dropped = names.join(', ')
    return random.chance(0.4) ? `${dropped}: left in the tray` : sendWith(visitor, scene, dropped)
  },
}

export const paste: Step = {
  name: 'paste',
  weight: 4,
  run: async (visitor, scene) => {
    const { page, random, typed, place } = visitor
    if (!(await focusComposer(visitor, scene))) return 'no message field'
    const what = random.weighted({ text: 3, file: 3 })
    if (what === 'file') {
      if (!(await mayAttach(visitor))) return 'nowhere to attach files'
      const files = await pasteFiles(visitor, scene)
      return files.map(({ name }) => name).join(', ')
    }
    const word = typed.next('draft', place?.roomId)
    const text = random.pick([word, `- ${word}\n- more`, `> ${word}\n\nsaid who?`, ` <b>${word}</b> @Nadia `]) ?? word
    await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`)
    await visitor.ask('monkey.beginTyping()')
    await page.keyboard.press('Control+V')
    // The field may have lost the focus meanwhile.
    if (!(await visitor.ask<boolean>('monkey.isStillTyping()'))) typed.settle([word])
    if (random.chance(0.5)) await send(visitor)
    return text
  },
}

export const typeWhileSending: Step = {
  name: 'type while files are sent',
  weight: 4,
  run: async (visitor, scene) => {
    const { random } = visitor
    if (!(await mayAttach(visitor)) || !(await focusComposer(visitor, scene))) return 'nowhere to attach files'
    // So that there is something to wait for.
    if (random.chance(0.6)) await visitor.disturb('delay')
    const files = await pasteFiles(visitor, scene)
    const first = await typeText(visitor, 'draft')
    await send(visitor)
    const next = await typeText(visitor, 'draft')
    if (random.chance(0.5)) await send(visitor)
    return `${first} with ${files.length} files, then ${next}`
  },
}

/** Nothing is pasted if the message field has lost the focus. */
async function pasteFiles(visitor: Visitor, scene: Scene): Promise<readonly SampleFile[]> {
  const files = sampleFiles(visitor, scene)
  if (await visitor.ask<boolean>(`monkey.pasteFiles(${asArgument(files)})`)) return files
  giveBack(visitor, files)
  return []
}

/** The names needn’t appear anywhere. */
function giveBack({ typed }: Visitor, files: readonly SampleFile[]): void {
  typed.settle(files.flatMap(({ name }) => wordsIn(name)))
}

async function sendWith(visitor: Visitor, scene: Scene, names: string): Promise<string> {
  if (!(await focusComposer(visitor, scene))) return `${names}: no message field`
  const text = await typeText(visitor, 'draft')
  await send(visitor)
  return `${names} with ${text}`
}
