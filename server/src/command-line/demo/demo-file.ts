import { mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { RoomType, Scope } from '@portico/contract'
import type { Config } from '../../config/config.ts'
import { isMissing } from '../../db/embedded/file-errors.ts'
import { StartError } from '../../db/start-error.ts'

/** What scripts and examples need to know about the demo community. Its passwords and keys are stored nowhere else. */
export interface Demo {
  readonly url: string
  readonly apiUrl: string
  readonly people: readonly { readonly name: string; readonly password: string }[]
  readonly channels: readonly DemoChannelEntry[]
  readonly applications: readonly DemoApplication[]
}

export interface DemoChannelEntry {
  readonly id: string
  readonly name: string
  readonly rooms: readonly {
    readonly id: string
    readonly name: string
    readonly type: RoomType
    readonly private: boolean
  }[]
}

export interface DemoApplication {
  readonly id: string
  readonly name: string
  readonly key: string
  readonly scopes: readonly Scope[]
  /** Null while the application has no sign-in. */
  readonly clientId: string | null
  readonly clientSecret: string | null
}

type Place = Pick<Config, 'PORTICO_DATA'>

export function demoPath({ PORTICO_DATA }: Place): string {
  return join(PORTICO_DATA, 'demo.json')
}

/** Contains what may not be committed yet. */
function draftPath(place: Place): string {
  return `${demoPath(place)}.draft`
}

export function readDemo(place: Place): Promise<Demo | undefined> {
  return readDemoAt(demoPath(place))
}

export function readDraft(place: Place): Promise<Demo | undefined> {
  return readDemoAt(draftPath(place))
}

async function readDemoAt(path: string): Promise<Demo | undefined> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (isMissing(error)) return undefined
    throw error
  })
  if (text === undefined) return undefined
  try {
    return JSON.parse(text) as Demo
  } catch (cause) {
    throw new StartError(`${path} can’t be read.`, 'Restore it from a backup, or start with an empty data folder.', {
      cause,
    })
  }
}

export async function writeDemo(place: Place, demo: Demo): Promise<void> {
  await writeDraft(place, demo)
  await publishDraft(place)
}

export async function writeDraft(place: Place, demo: Demo): Promise<void> {
  const path = draftPath(place)
  const unfinished = `${path}.${process.pid}`
  await mkdir(place.PORTICO_DATA, { recursive: true })
  try {
    const file = await open(unfinished, 'w', 0o600)
    await file.writeFile(`${JSON.stringify(demo, null, 2)}\n`)
    await file.sync()
    await file.close()
    // Renamed only when it is complete, so that no one reads a partial file.
    await rename(unfinished, path)
  } finally {
    await rm(unfinished, { force: true })
  }
}

/** The draft is committed: renames it to demo.json. */
export async function publishDraft(place: Place): Promise<void> {
  await rename(draftPath(place), demoPath(place))
}
