import { execFileSync } from 'node:child_process'

/** What two versions that run together have in common: the schema, and what nodes tell each other through Redis. */
const SHARED = ['server/migrations', ...['events', 'presence', 'quotas', 'redis'].map((name) => `server/src/${name}`)]

/**
 * The files with shared formats that have changed since a commit.
 * @param {string} root
 * @param {string} commit
 * @returns {string[]}
 */
export function changedFormats(root, commit) {
  const args = ['diff', '--name-only', commit, 'HEAD', '--', ...SHARED, ':(exclude)*.test.ts']
  return execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: 'pipe' }).split('\n').filter(Boolean)
}
