import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, onTestFinished, test } from 'vitest'
import { sqlitePositions } from '../index.ts'

function databasePath(): string {
  const folder = mkdtempSync(join(tmpdir(), 'portico-sdk-sqlite-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 'bot.db')
}

const at = (offset: number) => ({ epoch: 'log', offset })

describe('sqlitePositions', () => {
  test('continues with what was saved, in a database with other tables', async () => {
    const path = databasePath()
    const own = new DatabaseSync(path)
    own.exec('CREATE TABLE notes (text TEXT)')
    const store = sqlitePositions(path)
    expect([await store.load(), await store.loadFinished(), await store.loadSession('a')]).toEqual([
      undefined,
      [],
      undefined,
    ])
    await store.saveState({ position: at(7), finished: [[9, 12]], sessions: new Map([['a', '1']]) })
    const next = sqlitePositions(path)
    expect([await next.load(), await next.loadFinished(), await next.loadSession('a')]).toEqual([at(7), [[9, 12]], '1'])
    await next.save(at(13))
    expect([await next.load(), await next.loadFinished()]).toEqual([at(13), []])
    own.exec(`INSERT INTO notes VALUES ('still there')`)
  })

  test('saves all of a change or nothing', async () => {
    const path = databasePath()
    const store = sqlitePositions(path)
    await store.load()
    await store.saveState({ position: at(1), finished: [], sessions: new Map([['a', '1']]) })
    const broken = new Map([
      ['a', '2'],
      ['b', null as never],
    ])
    await expect(store.saveState({ position: at(2), finished: [], sessions: broken })).rejects.toThrow()
    expect([await sqlitePositions(path).loadSession('a'), await store.load()]).toEqual(['1', at(1)])
  })

  test('saves nothing of a process after another one has loaded the position', async () => {
    const path = databasePath()
    const [displaced, current] = [sqlitePositions(path), sqlitePositions(path)]
    await displaced.load()
    await displaced.saveState({ position: at(1), finished: [], sessions: new Map([['a', '1']]) })
    await current.load()
    const late = displaced.saveState({ position: at(2), finished: [], sessions: new Map([['a', '2']]) })
    await expect(late).rejects.toThrow('Another process continues')
    await current.saveState({ position: at(2), finished: [], sessions: new Map([['b', '1']]) })
    expect([await current.loadSession('a'), await current.loadSession('b')]).toEqual(['1', '1'])
  })
})
