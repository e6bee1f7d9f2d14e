import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

interface FileTime {
  readonly seconds: number
  readonly cpuSeconds?: number
}

/** By project and file. */
type TestTimes = Readonly<Record<string, Readonly<Record<string, FileTime>>>>

/** The slowest files as measured once, for machines that have not run them yet. `node scripts/testing/write-first-times.mjs` writes them. */
const FIRST_TIMES = join(import.meta.dirname, 'first-times.json')
/** What the last runs on this machine took. */
const LAST_TIMES = join(import.meta.dirname, '../../.cache/test-times.json')
/** A file without a known time is probably new or short. */
const UNKNOWN: FileTime = { seconds: 5, cpuSeconds: 2 }

/**
 * Starts the slowest files first, since one that is started last runs alone at the end. Files that mostly wait are spread among
 * the others, so that the processor always has something to do. The smallest project comes first: workers are not shared
 * between projects, and the files of the largest one fill the gaps at the end.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const times = await Promise.all([FIRST_TIMES, LAST_TIMES].map(read))
    const timed = files.map((file) => ({ file, time: timeOf(file, times) }))
    return [...Map.groupBy(timed, ({ file }) => file.project).values()]
      .toSorted((a, b) => a.length - b.length)
      .flatMap((own) => spread(own.toSorted((a, b) => b.time.seconds - a.time.seconds)))
      .map(({ file }) => file)
  }
}

function timeOf({ moduleId, project }: TestSpecification, times: readonly TestTimes[]): FileTime {
  const path = relative(project.vitest.config.root, moduleId).replaceAll('\\', '/')
  return times.findLast((known) => known[project.name]?.[path])?.[project.name]?.[path] ?? UNKNOWN
}

interface Timed {
  readonly time: FileTime
}

/** Merges the files that mostly wait with the others, so that at each point the same share of both has been started. */
function spread<T extends Timed>(files: readonly T[]): T[] {
  const usual = busyShare(files) / 2
  const { waiting = [], working = [] } = Object.groupBy(files, (file) =>
    busyShare([file]) < usual ? 'waiting' : 'working',
  )
  const placed = [...withShare(waiting), ...withShare(working)]
  return placed.toSorted((a, b) => a.share - b.share).map(({ file }) => file)
}

/** The share of their time in which files use the processor. */
function busyShare(files: readonly Timed[]): number {
  const sum = (of: (time: FileTime) => number) => files.reduce((total, { time }) => total + of(time), 0)
  return sum(({ seconds, cpuSeconds = seconds }) => cpuSeconds) / sum(({ seconds }) => seconds)
}

/** Each file with the share of the time of all that is before it. */
function withShare<T extends Timed>(files: readonly T[]): { file: T; share: number }[] {
  const total = files.reduce((sum, { time }) => sum + time.seconds, 0)
  let before = 0
  return files.map((file) => {
    const share = before / total
    before += file.time.seconds
    return { file, share }
  })
}

async function read(path: string): Promise<TestTimes> {
  return existsSync(path) ? (JSON.parse(await readFile(path, 'utf8')) as TestTimes) : {}
}
