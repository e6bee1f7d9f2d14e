import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'

describe('previousVersion', () => {
  test('is the newest release', async () => {
    const { commit, git, found } = await repository()
    await commit({ '0001_a.sql': 'A' })
    git('tag', 'v1.9.0')
    await commit({ '0002_b.sql': 'B' })
    git('tag', 'v1.10.0')
    await commit({ '0003_c.sql': 'C' })
    expect(found()).toEqual({ commit: 'v1.10.0' })
  })

  test('is the newest commit with fewer migrations if there is no release', async () => {
    const { commit, found } = await repository()
    await commit({ '0001_a.sql': 'A' })
    const wanted = await commit({ other: 'before 2' })
    await commit({ '0002_b.sql': 'B' })
    await commit({ '0002_b.sql': 'B, edited' })
    await commit({ other: 'after 2' })
    expect(found()).toEqual({ commit: wanted })
  })

  test('is missing if the first migration was the last', async () => {
    const { commit, found } = await repository()
    await commit({ '0001_a.sql': 'A' })
    await commit({ other: 'after 1' })
    expect(found()).toEqual({ missing: 'there is no earlier version' })
  })

  test('is missing if the newest migration refuses it', async () => {
    const { commit, found } = await repository()
    const before = await commit({ '0001_a.sql': 'A' })
    await commit({ '0002_b.sql': '-- needs: 0002\nB' })
    expect(found()).toEqual({ missing: `server/migrations/0002_b.sql needs a newer version than ${before}` })
  })

  test('is missing in a clone without that part of the history', async () => {
    const { folder, commit, git } = await repository()
    await commit({ '0001_a.sql': 'A' })
    await commit({ '0002_b.sql': 'B' })
    await commit({ other: 'after 2' })
    git('clone', '--quiet', '--depth=1', `file://${folder}`, 'shallow')
    expect(previousVersion(join(folder, 'shallow'))).toEqual({ missing: 'the history of this clone is too short' })
  })

  test('is missing without a repository', async () => {
    const folder = await temporaryFolder()
    expect(previousVersion(folder)).toMatchObject({ missing: expect.stringContaining('git can’t read the history') })
  })
})

describe('changedFormats', () => {
  test('are the migrations that changed since a version, and none without a change', async () => {
    const { folder, commit } = await repository()
    const before = await commit({ '0001_a.sql': 'A' })
    const other = await commit({ '0002_b.sql': 'B' })
    await commit({ other: 'after 2' })
    expect(changedFormats(folder, before)).toEqual(['server/migrations/0002_b.sql'])
    expect(changedFormats(folder, other)).toEqual([])
  })
})

function previousVersion(folder: string): unknown {
  return call('testing/previous-version.mjs', 'previousVersion', folder)
}

function changedFormats(folder: string, commit: string): unknown {
  return call('testing/shared-formats.mjs', 'changedFormats', folder, commit)
}

function call(file: string, name: string, ...args: string[]): unknown {
  const program = `import { ${name} } from ${JSON.stringify(join(import.meta.dirname, file))}
    console.log(JSON.stringify(${name}(...process.argv.slice(1))))`
  return JSON.parse(
    execFileSync(process.execPath, ['--input-type=module', '--eval', program, ...args], { encoding: 'utf8' }),
  )
}

async function repository() {
  const folder = await temporaryFolder()
  const person = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com', '-c', 'commit.gpgsign=false']
  const git = (...args: string[]) => execFileSync('git', [...person, ...args], { cwd: folder, encoding: 'utf8' }).trim()
  git('init', '--quiet')
  await mkdir(join(folder, 'server/migrations'), { recursive: true })
  return {
    folder,
    git,
    found: () => previousVersion(folder),
    /** Writes these files, migrations if they end with .sql, and returns the commit. */
    async commit(files: Record<string, string>): Promise<string> {
      for (const [name, text] of Object.entries(files))
        await writeFile(join(folder, name.endsWith('.sql') ? 'server/migrations' : '', name), text)
      git('add', '--all')
      git('commit', '--quiet', '--message', 'Change')
      return git('rev-parse', 'HEAD')
    },
  }
}

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'portico-history-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}
