/**
 * `node sdk/tooling/check-imports.ts` checks that the published package needs nothing but itself: not the contract, whose
 * validator is large, and nothing of Node that other platforms lack.
 */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const src = process.argv[2] ?? join(import.meta.dirname, '../src')

/** Whole statements that are allowed: types leave no trace in the code, and files and databases are loaded when they are used. */
const ALLOWED = [/^import type .* from '@livekit\/rtc-node'$/, /^import\('node:(fs\/promises|sqlite)'\)?$/]
const IMPORTS = /(?:\b(?:import|export)\b[^'()]*\bfrom\s*|\bimport\s*\(?\s*)'([^']+)'/g

const problems = globSync('**/*.ts', { cwd: src })
  .filter((path) => !path.endsWith('.test.ts'))
  .toSorted()
  .flatMap((path) => {
    const text = readFileSync(join(src, path), 'utf8')
    return [...text.matchAll(IMPORTS)]
      .filter(([statement, specifier = '']) => {
        const isOwn = specifier.startsWith('.') && join('src', path, '..', specifier).startsWith('src')
        return !isOwn && !ALLOWED.some((allowed) => allowed.test(statement))
      })
      .map(([, specifier]) => `sdk/src/${path}: must not import ${specifier}`)
  })

for (const problem of problems) console.log(problem)
if (problems.length > 0) process.exitCode = 1
