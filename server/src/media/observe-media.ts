import type { MediaCounters } from '@portico/media'
import type { Services } from '../operations/services.ts'

/** In milliseconds: one scrape reads all metrics of one moment. */
const FRESH = 500

/** Registers the metrics of the embedded media server. */
export function observeMedia({ embeddedMedia: media, metrics }: Services): void {
  if (!media) return
  let latest: { readonly at: number; readonly counters: Promise<MediaCounters | undefined> } | undefined
  const counters = (): Promise<MediaCounters | undefined> => {
    const now = performance.now()
    // While the worker is being restarted there is nothing to report.
    if (!latest || now - latest.at > FRESH) latest = { at: now, counters: media.counters().catch(() => undefined) }
    return latest.counters
  }
  const read = (pick: (counters: MediaCounters) => [Record<string, string>, number][]) => async () => {
    const known = await counters()
    return known ? pick(known) : []
  }
  metrics.gauge(
    'portico_media_up',
    'Whether clients can connect to the media server, whose worker starts for the first one',
    [],
    () => [[{}, media.isUp ? 1 : 0]],
  )
  metrics.gauge(
    'portico_media_participants',
    'People and bots connected to the media server',
    [],
    read(({ participants }) => [[{}, participants]]),
  )
  metrics.gauge(
    'portico_media_rooms',
    'Rooms with someone connected',
    [],
    read(({ rooms }) => [[{}, rooms]]),
  )
  metrics.gauge(
    'portico_media_tracks',
    'Tracks that are published, and tracks on their way to a viewer',
    ['direction'],
    read(({ tracks, subscriptions }) => [
      [{ direction: 'in' }, tracks],
      [{ direction: 'out' }, subscriptions],
    ]),
  )
  metrics.counter(
    'portico_media_packets_total',
    'Media packets received and sent',
    ['direction'],
    read(({ packetsIn, packetsOut }) => [
      [{ direction: 'in' }, packetsIn],
      [{ direction: 'out' }, packetsOut],
    ]),
  )
  metrics.counter(
    'portico_media_bytes_total',
    'Bytes of media received and sent; its rate is the bit rate',
    ['direction'],
    read(({ bytesIn, bytesOut }) => [
      [{ direction: 'in' }, bytesIn],
      [{ direction: 'out' }, bytesOut],
    ]),
  )
  metrics.counter(
    'portico_media_packets_lost_total',
    'Media packets that were lost on their way from publishers',
    [],
    read(({ lostIn }) => [[{}, lostIn]]),
  )
  metrics.counter(
    'portico_media_packets_dropped_total',
    'Packets that were malformed, repeated or not negotiated',
    [],
    read(({ dropped }) => [[{}, dropped]]),
  )
  metrics.counter(
    'portico_media_packets_over_limit_total',
    'Packets of publishers who sent more than they may',
    [],
    read(({ overLimit }) => [[{}, overLimit]]),
  )
  metrics.counter(
    'portico_media_cpu_seconds_total',
    'Processor time of the media worker',
    [],
    read(({ cpuSeconds }) => [[{}, cpuSeconds]]),
  )
}
