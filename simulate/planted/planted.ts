import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { RULES, type Rule } from '../checks/violation.ts'

/** A defect that the simulation must find: a patch with a header that says what it breaks. */
export interface Planted {
  /** The name of the file, without its number and ending. */
  readonly name: string
  readonly path: string
  readonly defect: string
  /** One of them must be violated. */
  readonly rules: readonly Rule[]
  readonly mode: string
  readonly faults: string
  /** How long actors act, if it is not found before. */
  readonly minutes: string
}

const FOLDER = import.meta.dirname

/** All of them, in the order of their numbers, or only those with these names or numbers. */
export async function plantedDefects(names: readonly string[] = []): Promise<Planted[]> {
  const files = (await readdir(FOLDER)).filter((file) => file.endsWith('.patch')).toSorted()
  const all = await Promise.all(files.map(readPatch))
  const unknown = names.find((name) => !all.some((one) => isCalled(one, name)))
  if (unknown !== undefined) throw new Error(`There is no planted defect “${unknown}”.`)
  return names.length === 0 ? all : all.filter((one) => names.some((name) => isCalled(one, name)))
}

function isCalled({ name, path }: Planted, wanted: string): boolean {
  return name === wanted || path.endsWith(`/${wanted}.patch`) || path.includes(`/${wanted}-`)
}

async function readPatch(file: string): Promise<Planted> {
  const path = join(FOLDER, file)
  const [header = ''] = (await readFile(path, 'utf8')).split('\n--- ')
  const field = (name: string): string => {
    const value = new RegExp(`^${name}: (.+)$`, 'm').exec(header)?.[1]
    if (value === undefined) throw new Error(`${file} does not say its ${name.toLowerCase()}`)
    return value
  }
  const rules = field('Rule').split(', ')
  if (!rules.every(isRule)) throw new Error(`${file} names a rule that does not exist: ${rules.join(', ')}`)
  const name = file.replace(/^\d+-(.*)\.patch$/, '$1')
  const [defect, mode, faults, minutes] = [field('Defect'), field('Mode'), field('Faults'), field('Minutes')]
  return { name, path, defect, rules, mode, faults, minutes }
}

function isRule(name: string): name is Rule {
  return Object.hasOwn(RULES, name)
}
