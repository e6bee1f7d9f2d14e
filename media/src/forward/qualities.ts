import type { Quality } from './allocate.ts'
import type { IncomingTrack } from './incoming-track.ts'

/** What a layer needs while that isn't known: the highest, and the only one. Each layer below needs a quarter. */
const [USUAL_HIGHEST, USUAL_ONLY] = [2_500_000, 500_000]

/** What there is of a picture, up to the layer that a viewer has a use for; if there is none of those, the next one above. */
export function qualitiesOf(track: IncomingTrack, shown: number, now: number): Quality[] {
  const live = track.layers.flatMap((layer) => (layer && track.isLive(layer, now) ? [layer] : []))
  const useful = live.filter(({ index }) => index <= shown)
  const count = track.layers.length
  return (useful.length > 0 ? useful : live.slice(0, 1)).flatMap(({ index, rates }) => {
    const usual = count === 1 ? USUAL_ONLY : USUAL_HIGHEST / 4 ** (count - 1 - index)
    return Array.from({ length: rates?.temporalLayers ?? 1 }, (_, temporal) => ({
      layer: index,
      temporal,
      bitrate: rates?.upTo(temporal) ?? usual,
    }))
  })
}
