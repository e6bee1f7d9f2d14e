import type { Output } from '@portico/contract'
import type * as api from '@portico/contract'
import { pino } from 'pino'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { setUpCode } from '../accounts/set-up.ts'
import { channelFixture, expectOk, type ChannelFixture, type Portal } from '../../test/channel-fixture.ts'
import { runDoctorHere } from '../../test/doctor.ts'
import { eventually } from '../../test/eventually.ts'
import { atFileEnd } from '../../test/file-end.ts'
import { filesFolder } from '../../test/files-folder.ts'
import { Person } from '../../test/person.ts'
import { startPostgresPair, type PostgresPair } from '../../test/postgres-pair.ts'
import { settingsOf } from '../../test/portico-process.ts'
import { postgresPrograms } from '../../test/postgres-server.ts'
import { redisProgram, RedisServer } from '../../test/redis.ts'
import { startNode, type TestServer } from '../../test/start-node.ts'

type Found = Output<typeof api.searchMessages>

const METRICS_TOKEN = 'a token of sixteen letters'
const isPossible = postgresPrograms !== undefined && redisProgram !== undefined && process.platform === 'linux'

async function search(person: Person, at: string, q: string): Promise<Found> {
  return expectOk(await person.get<Found>(`${at}/search?q=${q}`))
}

async function textsOf(person: Person, at: string, q: string): Promise<string[]> {
  return (await search(person, at, q)).hits.map(({ message }) => message.text)
}

interface Reads {
  readonly up: number
  readonly replica: number
  readonly primary: number
}

/** What a node reports of its replica. */
async function readsOf({ url }: TestServer): Promise<Reads> {
  const answer = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${METRICS_TOKEN}` } })
  const metrics = await answer.text()
  const value = (name: string): number =>
    Number(
      metrics
        .split('\n')
        .find((line) => line.startsWith(`${name} `))
        ?.split(' ')[1],
    )
  const from = (source: string): number => value(`portico_replica_reads_total{source="${source}"}`)
  return { up: value('portico_replica_up'), replica: from('replica'), primary: from('primary') }
}

describe.skipIf(!isPossible)('a cluster whose PostgreSQL has a replica', () => {
  let postgres: PostgresPair
  let nodes: readonly [TestServer, TestServer]
  let withoutReplica: TestServer
  let settings: Record<string, string>
  let portal: Portal
  const logged: { readonly msg: string }[] = []
  const log = pino({ level: 'info' }, { write: (line: string) => void logged.push(JSON.parse(line)) })

  beforeAll(async () => {
    const redis = await RedisServer.start()
    atFileEnd(() => redis.kill())
    postgres = await startPostgresPair({ synchronous: false })
    await postgres.primary.query('CREATE DATABASE portico')
    const common = {
      DATABASE_URL: postgres.primary.url('portico'),
      REDIS_URL: redis.url,
      FILES_FOLDER: await filesFolder(),
      PORTICO_SECRET: 'the secret of all nodes of a cluster',
      DATABASE_POOL_SIZE: '10',
      METRICS_TOKEN,
    }
    settings = { ...common, DATABASE_REPLICA_URL: postgres.replica.url('portico') }
    nodes = [await startNode(settings, log), await startNode(settings)]
    withoutReplica = await startNode(common)
    const [server] = nodes
    portal = { server, administrator: await new Person(server).setUp(setUpCode(server.services.secret)) }
  })

  const at = (node: TestServer, { id, cookie }: Person): Person => new Person(node).known(id, cookie)
  /** What the first node has logged of its replica. */
  const said = (): string[] => logged.map(({ msg }) => msg).filter((msg) => msg.includes('replica'))
  const isUp = async (): Promise<number[]> => (await Promise.all(nodes.map(readsOf))).map(({ up }) => up)
  const ready = (): Promise<unknown[]> =>
    Promise.all(nodes.map(async ({ url }) => (await fetch(`${url}/readyz`)).json()))
  const isReplayed = async (): Promise<boolean> => {
    const [primary] = await postgres.primary.query('SELECT pg_current_wal_flush_lsn() AS lsn')
    const [replica] = await postgres.replica.query(
      `SELECT pg_last_wal_replay_lsn() >= '${String(primary?.['lsn'])}'::pg_lsn AS done`,
    )
    return replica?.['done'] === true
  }
  /** What the doctor says of the replica. */
  const doctor = async (): Promise<string | undefined> => {
    const { stdout } = await runDoctorHere({ ...settingsOf(nodes[0]), ...settings })
    return stdout.split('\n').find((line) => line.slice(2).startsWith('Replica'))
  }
  /** What the replica finds through the first node, as soon as it is used: both questions of a search. */
  async function searchThere(person: Person, path: string): Promise<Found> {
    let found: Found | undefined
    await eventually(async () => {
      const { replica } = await readsOf(nodes[0])
      found = await search(person, path, 'lighthouse')
      return (await readsOf(nodes[0])).replica - replica
    }).toBe(2)
    return found!
  }

  /** Sends, edits and deletes through one node, and searches through both: each sees at once what the answers said. */
  async function expectOwnWritesFound({ owner, room, at: path }: ChannelFixture<0, 0>): Promise<void> {
    const both = nodes.map((node) => at(node, owner))
    const [writer] = both
    const word = `w${String(Math.random()).slice(2)}`
    const found = async (q: string): Promise<string[][]> => Promise.all(both.map((reader) => textsOf(reader, path, q)))
    const message = { channelId: room.channelId, text: `${word}before` }
    const { id } = expectOk(await writer!.post<{ id: string }>(`/rooms/${room.id}/messages`, message))
    expect(await found(`${word}before`)).toEqual([[`${word}before`], [`${word}before`]])
    const changed = { ...message, text: `${word}after` }
    expectOk(await writer!.patch(`/rooms/${room.id}/messages/${id}`, changed))
    expect(await found(`${word}after`)).toEqual([[`${word}after`], [`${word}after`]])
    expect(await found(`${word}before`)).toEqual([[], []])
    expectOk(await writer!.delete(`/rooms/${room.id}/messages/${id}`, { channelId: room.channelId }))
    expect(await found(`${word}after`)).toEqual([[], []])
  }

  test('searches there, and finds what the primary finds', async () => {
    const { owner, room, at: path } = await channelFixture({ portal })
    for (let n = 0; n < 30; n += 1) {
      const text = `lighthouse number ${n}`
      expectOk(await owner.post(`/rooms/${room.id}/messages`, { channelId: room.channelId, text }))
    }
    const found = await searchThere(owner, path)
    expect(found.hits).toHaveLength(25)
    expect(found).toEqual(await search(at(withoutReplica, owner), path, 'lighthouse'))
    expect(await doctor()).toMatch(/^✓ Replica +PostgreSQL .+, at DATABASE_REPLICA_URL, has caught up$/)
  })

  test('finds at once what was written through any node', async () => {
    const fixture = await channelFixture({ portal })
    await searchThere(fixture.owner, fixture.at)
    for (let round = 0; round < 10; round += 1) await expectOwnWritesFound(fixture)
  })

  test('finds it on the primary while the replica lags', async () => {
    const fixture = await channelFixture({ portal })
    await searchThere(fixture.owner, fixture.at)
    await eventually(isReplayed).toBe(true)
    await postgres.replica.query('SELECT pg_wal_replay_pause()')
    onTestFinished(async () => void (await postgres.replica.query('SELECT pg_wal_replay_resume()').catch(() => {})))
    const state = (): Promise<unknown> =>
      postgres.replica.query('SELECT pg_get_wal_replay_pause_state() AS state').then(([row]) => row?.['state'])
    await eventually(state).toBe('paused')
    const before = await Promise.all(nodes.map(readsOf))
    await expectOwnWritesFound(fixture)
    const after = await Promise.all(nodes.map(readsOf))
    expect(after.map(({ replica }) => replica)).toEqual(before.map(({ replica }) => replica))
    await eventually(isUp).toEqual([0, 0])
    await postgres.replica.query('SELECT pg_wal_replay_resume()')
    await searchThere(fixture.owner, fixture.at)
  })

  test.for(['hangs', 'was killed'] as const)('goes on when the replica %s, and uses it again', async (how) => {
    const fixture = await channelFixture({ portal })
    await searchThere(fixture.owner, fixture.at)
    await (how === 'hangs' ? postgres.replica.freeze() : postgres.replica.kill())
    onTestFinished(() => postgres.replica.resume())

    await expectOwnWritesFound(fixture)
    await eventually(isUp).toEqual([0, 0])
    const away = { status: 'ready', degraded: ['replica'] }
    expect(await ready()).toEqual([away, away])
    const before = { ...(await readsOf(nodes[0])), said: said().length }
    expect(said().at(-1)).toBe('the database replica is not available; continuing without it')
    await expectOwnWritesFound(fixture)
    expect((await readsOf(nodes[0])).replica).toBe(before.replica)
    expect(said()).toHaveLength(before.said)

    await (how === 'hangs' ? postgres.replica.resume() : postgres.replica.startAgain())
    await eventually(ready).toEqual([{ status: 'ready' }, { status: 'ready' }])
    await searchThere(fixture.owner, fixture.at)
    await expectOwnWritesFound(fixture)
    await eventually(() => said().at(-1)).toBe('the database replica is available')
  })

  test('leaves a replica that has become a primary, also when it is restarted as a replica', async () => {
    const fixture = await channelFixture({ portal })
    const { owner, at: path } = fixture
    await searchThere(owner, path)
    await eventually(isReplayed).toBe(true)

    // It has all that the primary has.
    await postgres.replica.query('SELECT pg_promote()')
    expect(await doctor()).toMatch(
      /^! Replica .*: it isn’t a replica, or no longer one → DATABASE_REPLICA_URL must lead/,
    )
    const { replica } = await readsOf(nodes[0])
    await search(owner, path, 'lighthouse')
    expect((await readsOf(nodes[0])).replica).toBe(replica)
    await eventually(isUp).toEqual([0, 0])
    await expectOwnWritesFound(fixture)

    // It is ahead of the primary, and has nothing of what is written there.
    await postgres.replica.query(
      'CREATE TABLE filler AS SELECT n, repeat(md5(n::text), 9) FROM generate_series(1, 20000) n',
    )
    await postgres.replica.query('CHECKPOINT')
    await postgres.replica.query(
      `DO $$ BEGIN EXECUTE format('COPY (SELECT) TO %L', current_setting('data_directory') || '/standby.signal'); END $$`,
    )
    await postgres.replica.kill()
    await postgres.replica.startAgain()
    expect(await postgres.replica.query('SELECT pg_is_in_recovery() AS "isReplica"')).toEqual([{ isReplica: true }])
    expect(await isReplayed()).toBe(true)
    const later = await startNode(settings)
    await expectOwnWritesFound(fixture)
    expect(await readsOf(later)).toMatchObject({ up: 0, replica: 0 })
    expect((await readsOf(nodes[0])).replica).toBe(replica)
  })

  test('starts without its replica', async () => {
    await postgres.replica.kill()
    const { owner, room, at: path } = await channelFixture({ portal })
    const later = await startNode(settings)
    expectOk(await owner.post(`/rooms/${room.id}/messages`, { channelId: room.channelId, text: 'a lighthouse' }))
    expect(await textsOf(at(later, owner), path, 'lighthouse')).toEqual(['a lighthouse'])
    expect(await readsOf(later)).toEqual({ up: 0, replica: 0, primary: 2 })
    expect(await doctor()).toMatch(
      /^! Replica .*can’t be reached: connect ECONNREFUSED.* → DATABASE_REPLICA_URL must lead/,
    )
  })
})
