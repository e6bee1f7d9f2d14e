import { createReplayWindow } from '../packet/replay-window.ts'
import {
  openRecord,
  readRecords,
  sealRecord,
  writeRecord,
  type Content,
  type DtlsRecord,
  type RecordKeys,
} from './records.ts'

/** What every path of the Internet carries, with room for the headers below. */
const MAX_DATAGRAM_SIZE = 1200
const REPLAY_WINDOW_SIZE = 64
/** Encrypted records that overtook the message with the keys for them. */
const MAX_EARLY_RECORDS = 2
const MAX_EARLY_SIZE = 256

export interface RecordLayer {
  /** Switches to encryption. */
  setKeys(keys: ConnectionKeys): void
  /**
   * The readable contents of a datagram: plain ones of epoch 0, authentic and not replayed ones of epoch 1. Each is read when
   * it is asked for, so that one may bring the keys for the next.
   */
  receive(datagram: Buffer): Iterable<Content>
  /** The contents of records that arrived before their keys. */
  receiveEarly(): Iterable<Content>
  /** The records for these contents, in as few datagrams as possible. */
  write(contents: readonly Content[]): Buffer[]
}

export interface ConnectionKeys {
  readonly read: RecordKeys
  readonly write: RecordKeys
}

/** The record layer of one DTLS connection. Its two epochs are 0, in the clear, and 1, encrypted. */
export function createRecordLayer(): RecordLayer {
  const written = [0, 0]
  const window = createReplayWindow(REPLAY_WINDOW_SIZE)
  let keys: ConnectionKeys | undefined
  let early: DtlsRecord[] = []

  function* open(records: readonly DtlsRecord[]): Iterable<Content> {
    for (const record of records) {
      if (record.epoch === 0) yield record
      else if (record.epoch === 1) {
        if (keys === undefined) keepEarly(record)
        else yield* decrypt(record, keys.read)
      }
    }
  }

  function* decrypt(record: DtlsRecord, key: RecordKeys): Iterable<Content> {
    if (window.has(record.sequence)) return
    const bytes = openRecord(key, record)
    if (bytes === undefined) return
    window.add(record.sequence)
    yield { type: record.type, epoch: 1, bytes }
  }

  function keepEarly(record: DtlsRecord) {
    if (record.bytes.length > MAX_EARLY_SIZE) return
    early = [...early, { ...record, bytes: Buffer.from(record.bytes) }].slice(-MAX_EARLY_RECORDS)
  }

  function encode(content: Content): Buffer {
    const sequence = written[content.epoch]!
    written[content.epoch] = sequence + 1
    if (content.epoch === 0) return writeRecord(content, sequence)
    if (keys === undefined) throw new Error('there are no keys to encrypt with')
    return sealRecord(keys.write, content, sequence)
  }

  return {
    setKeys(agreed) {
      keys = agreed
    },
    receive: (datagram) => open(readRecords(datagram)),
    receiveEarly() {
      const records = early
      early = []
      return open(records)
    },
    write(contents) {
      const datagrams: Buffer[] = []
      for (const record of contents.map(encode)) {
        const last = datagrams.at(-1)
        if (last === undefined || last.length + record.length > MAX_DATAGRAM_SIZE) datagrams.push(record)
        else datagrams[datagrams.length - 1] = Buffer.concat([last, record])
      }
      return datagrams
    },
  }
}
