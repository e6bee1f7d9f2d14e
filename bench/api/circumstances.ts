import { execFileSync } from 'node:child_process'
import { cpus, totalmem } from 'node:os'

/** What a figure means nothing without. */
export function circumstances() {
  const git = (...args: string[]): string =>
    execFileSync('git', args, { cwd: import.meta.dirname, encoding: 'utf8' }).trim()
  const processors = cpus()
  return {
    date: new Date().toISOString(),
    commit: git('rev-parse', '--short', 'HEAD'),
    changed: git('status', '--porcelain', '--', '../../server/src', '../../contract/src').length > 0,
    node: process.version,
    machine: `${processors.length} × ${processors[0]?.model ?? 'unknown'}, ${Math.round(totalmem() / 2 ** 30)} GiB`,
  }
}
