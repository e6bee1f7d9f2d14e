import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { RULES, type Rule } from './violation.ts'

/** A defect of the portal that the steps in browsers must find: a patch with a header that says what it breaks. */
export interface Planted {
  /** The name of the file, without its ending. */
  readonly name: string
  readonly path: string
  readonly defect: string
  /** One of them must be violated. */
  readonly rules: readonly Rule[]
  /** What the violation says, so that nothing else counts as found. */
  readonly shownBy: RegExp
}

const FOLDER = join(import.meta.dirname, 'planted')

/** All of them, or only those whose names begin with one of these. */
export async function plantedDefects(wanted: readonly string[] = []): Promise<Planted[]> {
  const names = (await readdir(FOLDER)).filter((file) => file.endsWith('.patch')).map((file) => file.slice(0, -6))
  const unknown = wanted.find((begin) => !names.some((name) => name.startsWith(begin)))
  if (unknown !== undefined) throw new Error(`There is no planted defect “${unknown}”.`)
  const chosen = names.filter((name) => wanted.length === 0 || wanted.some((begin) => name.startsWith(begin)))
  return Promise.all(chosen.toSorted().map(readPatch))
}

async function readPatch(name: string): Promise<Planted> {
  const path = join(FOLDER, `${name}.patch`)
  const text = await readFile(path, 'utf8')
  const [, defect] = /^Defect: (.+)$/m.exec(text) ?? []
  const rules = /^Rule: (.+)$/m.exec(text)?.[1]?.split(', ') ?? []
  if (defect === undefined || rules.length === 0) throw new Error(`${name} does not say what it breaks`)
  if (!rules.every(isRule)) throw new Error(`${name} names a rule that does not exist: ${rules.join(', ')}`)
  return { name, path, defect, rules, shownBy: new RegExp(/^Shown by: (.+)$/m.exec(text)?.[1] ?? '') }
}

function isRule(name: string): name is Rule {
  return Object.hasOwn(RULES, name)
}
