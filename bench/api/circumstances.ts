import { execFileSync } from 'node:child_process'
import { cpus, loadavg, totalmem } from 'node:os'

const MEASURED = ['server/src', 'contract/src', 'portal/src'].map((folder) => `../../${folder}`)

/** The context without which a figure means nothing. */
export function circumstances() {
  const git = (...args: string[]): string =>
    execFileSync('git', args, { cwd: import.meta.dirname, encoding: 'utf8' }).trim()
  const processors = cpus()
  return {
    date: new Date().toISOString(),
    commit: git('rev-parse', '--short', 'HEAD'),
    changed: git('status', '--porcelain', '--', ...MEASURED).length > 0,
    node: process.version,
    machine: `${processors.length} × ${processors[0]?.model ?? 'unknown'}, ${Math.round(totalmem() / 2 ** 30)} GiB`,
    /** What else the machine was doing: the load average of the minute before. */
    load: Number(loadavg()[0]?.toFixed(1)),
  }
}
