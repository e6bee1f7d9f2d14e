import { rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { applyPatch, buildPortal, copyCheckout } from '../planted/copy-checkout.ts'
import { plantedDefects, type Planted } from './planted.ts'
import { reportOf, type Counted } from './report.ts'
import { runBrowser } from './run-browser.ts'
import { mapsOf } from './stacks.ts'

/** A defect that isn’t found by then counts as not found. */
const MINUTES = 10

export interface PlantedRun {
  /** The beginnings of names; none: all. */
  readonly names: readonly string[]
  readonly seed: string
  readonly checkout: string
  /** Where what the runs leave behind is kept. */
  readonly folder: string
  readonly signal: AbortSignal
  readonly say: (text: string) => void
}

/** Plants one defect of the portal after the other in a copy, and says whether the steps in browsers find each. */
export async function runPlanted({ names, seed, checkout, folder, signal, say }: PlantedRun): Promise<boolean> {
  const copy = join(tmpdir(), `portico-planted-portal-${process.pid}`)
  const rows: string[] = []
  let isComplete = true
  try {
    for (const planted of await plantedDefects(names)) {
      if (signal.aborted) return false
      say(`${planted.name}: ${planted.defect}`)
      await copyCheckout(checkout, copy)
      await applyPatch(copy, planted.path)
      await buildPortal(copy)
      const began = performance.now()
      const findMap = mapsOf(copy)
      const run = { seed, minutes: MINUTES, checkout: copy, folder: join(folder, planted.name), findMap, signal, say }
      const isProof = ({ violation }: Counted): boolean =>
        planted.rules.includes(violation.rule) && planted.shownBy.test(violation.what)
      const result = await runBrowser({ ...run, isEnough: isProof })
      const { found, steps } = result
      await writeFile(join(folder, planted.name, 'report.txt'), reportOf(result))
      const proof = found.find(isProof)
      isComplete &&= proof !== undefined
      const after = `${Math.round((performance.now() - began) / 1000)} s, ${steps} steps`
      rows.push(rowOf(planted, proof, after))
      say(rows.at(-1) ?? '')
    }
  } finally {
    await rm(copy, { recursive: true, force: true })
  }
  say(['', '| Defect | Violated | What was found | After |', '|---|---|---|---|', ...rows].join('\n'))
  return isComplete
}

function rowOf({ defect }: Planted, proof: Counted | undefined, after: string): string {
  const { rule = 'nothing', what = 'not found' } = proof?.violation ?? {}
  return `| ${defect} | ${rule} | ${what.replaceAll('|', '/').slice(0, 120)} | ${after} |`
}
