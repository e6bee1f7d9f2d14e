import { execFileSync } from 'node:child_process'

const FOLDER = 'server/migrations'

/**
 * The version whose nodes serve a database that this one has already migrated: the newest release. Without a release, the newest
 * commit with fewer migrations than now.
 * @param {string} root
 * @returns {{ commit: string } | { missing: string }} missing: why there is none
 */
export function previousVersion(root) {
  /** @param {string[]} args */
  const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: 'pipe' }).trim()
  /** @param {string} commit */
  const migrationsOf = (commit) => git('ls-tree', commit, `${FOLDER}/`).split('\n').filter(Boolean)
  try {
    const [release] = git('tag', '--list', 'v*', '--merged', 'HEAD', '--sort=-version:refname').split('\n')
    if (release) return { commit: release }

    const now = migrationsOf('HEAD')
    const isShallow = git('rev-parse', '--is-shallow-repository') === 'true'
    for (const line of git('log', '--format=%H %P', '--', FOLDER).split('\n')) {
      const [, before] = line.split(' ')
      if (!before) break
      const earlier = migrationsOf(before)
      // An unreleased migration may have been edited since: a version with the former text can't serve.
      if (earlier.length === now.length || !earlier.every((migration) => now.includes(migration))) continue
      const newer = now
        .filter((migration) => !earlier.includes(migration))
        .map((migration) => migration.split('\t')[1] ?? '')
      const refusing = newer.find((path) => needs(git('show', `HEAD:${path}`)) > earlier.length)
      if (refusing) return { missing: `${refusing} needs a newer version than ${before}` }
      return { commit: before }
    }
    return { missing: isShallow ? 'the history of this clone is too short' : 'there is no earlier version' }
  } catch (error) {
    return { missing: `git can’t read the history (${String(error).split('\n')[0]})` }
  }
}

/**
 * The number of migrations that a version has to know to serve the result of this one.
 * @param {string} sql
 */
function needs(sql) {
  return Number(/^-- needs: (\d+)/m.exec(sql)?.[1] ?? 0)
}
