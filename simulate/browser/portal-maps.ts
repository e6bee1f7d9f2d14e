import { existsSync } from 'node:fs'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buildPortal, copyCheckout } from '../planted/copy-checkout.ts'
import { buildOf, type FindMap } from './stacks.ts'

/**
 * Finds the source maps of a checkout. A portal that was built without them is built again with them in a copy, when the
 * first one is needed.
 */
export function findMapsOf(checkout: string, say: (text: string) => void): FindMap {
  let maps: Promise<string> | undefined
  return async (file) => {
    const inBuild = join(checkout, 'portal/build', `${file}.map`)
    if (existsSync(inBuild)) return readFile(inBuild, 'utf8')
    maps ??= buildMaps(checkout, say)
    return readFile(join(await maps, `${file}.map`), 'utf8')
  }
}

async function buildMaps(checkout: string, say: (text: string) => void): Promise<string> {
  const copy = join(checkout, '.cache/simulate/portal-maps', await buildOf(checkout))
  const built = join(copy, 'portal/build')
  if (existsSync(join(copy, 'complete'))) return built
  say('Building the portal with source maps, to show where errors come from…')
  await copyCheckout(checkout, copy)
  await buildPortal(copy)
  await mkdir(join(copy, 'complete'))
  return built
}
