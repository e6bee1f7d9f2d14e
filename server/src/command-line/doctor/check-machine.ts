import { statfs } from 'node:fs/promises'
import { availableParallelism, totalmem } from 'node:os'
import { dirname } from 'node:path'
import { isForbidden, isMissing } from '../../db/embedded/file-errors.ts'
import { loadSharp } from '../../pictures/load-sharp.ts'
import { failure, ok, warning, type Finding, type Findings } from './finding.ts'

const MEGABYTE = 1024 ** 2
const GIGABYTE = 1024 ** 3

/** Checks Node, memory, and free space on the disk of the data folder. */
export async function* checkMachine(dataFolder: string): Findings {
  yield ok('Node', `${process.version} on ${process.platform} ${process.arch}`)
  yield checkMemory()
  yield await checkDisk(dataFolder)
  yield await checkPictures()
}

function checkMemory(): Finding {
  const limit = process.constrainedMemory()
  const memory = limit > 0 ? Math.min(limit, totalmem()) : totalmem()
  const text = `${size(memory)}, ${availableParallelism()} processor(s)`
  if (memory >= 512 * MEGABYTE) return ok('Memory', text)
  return warning('Memory', text, 'Give the machine or the container at least 512 MB.')
}

async function checkDisk(folder: string): Promise<Finding> {
  const { bavail, bsize } = await statfs(await existing(folder))
  const free = bavail * bsize
  const text = `${size(free)} free for ${folder}`
  const hint = 'Free space on that disk, or move the data folder to a larger one (PORTICO_DATA).'
  // PostgreSQL stops when it can't write its WAL, which may take 512 MB.
  if (free < 512 * MEGABYTE) return failure('Disk', text, hint)
  if (free < 2 * GIGABYTE) return warning('Disk', text, hint)
  return ok('Disk', text)
}

async function checkPictures(): Promise<Finding> {
  try {
    const { versions } = await loadSharp()
    return ok('Pictures', `sharp ${versions.sharp ?? ''} with libvips ${versions.vips}`)
  } catch {
    const hint = 'Run npm install again; sharp has builds for most machines, but not for all.'
    return warning('Pictures', 'uploads are unavailable: the sharp library is missing', hint)
  }
}

/** The folder, or its nearest existing parent. */
export async function existing(folder: string): Promise<string> {
  try {
    await statfs(folder)
    return folder
  } catch (error) {
    if ((isMissing(error) || isForbidden(error)) && dirname(folder) !== folder) return existing(dirname(folder))
    throw error
  }
}

function size(bytes: number): string {
  return bytes >= GIGABYTE ? `${(bytes / GIGABYTE).toFixed(1)} GB` : `${Math.round(bytes / MEGABYTE)} MB`
}
