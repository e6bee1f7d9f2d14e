import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { fakeMicrophone } from './fake-microphone.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The path of a recording of speech, which browsers use as their microphone. */
    speechFile: string
  }
}

/** Writes the recording once for the whole test run. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'portico-voice-'))
  const file = join(folder, 'voice.wav')
  await writeFile(file, fakeMicrophone())
  project.provide('speechFile', file)
  return () => rm(folder, { recursive: true, force: true })
}
