import { describe, expect, test } from 'vitest'
import { SilenceWatch } from './silence-watch.ts'

const ADA = 'TR_ada'

/** Looks every half second. Returns when the connection was found broken, after which a new one begins. */
function look(
  watch: SilenceWatch,
  from: number,
  until: number,
  bytesAt: (at: number) => number | 'silent',
  hasNews = (_at: number): boolean => true,
): number[] {
  const found: number[] = []
  for (let at = from; at <= until; at += 500) {
    const bytes = bytesAt(at)
    if (!watch.isBroken(bytes === 'silent' ? [] : [{ trackId: ADA, bytes }], hasNews(at), at)) continue
    found.push(at)
    watch.begin()
  }
  return found
}

describe('SilenceWatch', () => {
  test('finds a connection broken on which nothing arrives of someone who speaks', () => {
    expect(look(new SilenceWatch(), 0, 3000, () => 0)).toEqual([1500])
  })

  test('finds nothing while sound arrives, also seldom', () => {
    expect(look(new SilenceWatch(), 0, 20_000, (at) => Math.floor(at / 1500))).toEqual([])
  })

  test('notices when sound stops that has arrived before', () => {
    expect(look(new SilenceWatch(), 0, 8000, (at) => Math.min(at, 5000))).toEqual([6500])
  })

  test('counts only the time of speaking', () => {
    const speaksEveryOtherSecond = (at: number) => (at % 2000 < 1000 ? 0 : 'silent')
    expect(look(new SilenceWatch(), 0, 5000, speaksEveryOtherSecond)).toEqual([2500])
    expect(look(new SilenceWatch(), 0, 20_000, () => 'silent')).toEqual([])
  })

  test('without news of who speaks, counts only sound of which nothing has arrived', () => {
    const atFirst = (at: number) => at < 500
    expect(look(new SilenceWatch(), 0, 3000, () => 0, atFirst)).toEqual([1500])
    expect(look(new SilenceWatch(), 0, 20_000, (at) => 1 + Math.min(at, 400), atFirst)).toEqual([])
  })

  test('does not count the time while the page was suspended', () => {
    const watch = new SilenceWatch()
    expect(look(watch, 0, 0, () => 0)).toEqual([])
    expect(look(watch, 60_000, 60_000, () => 0)).toEqual([])
  })

  test('waits longer each time when a new connection did not help, until sound arrives', () => {
    const watch = new SilenceWatch()
    expect(look(watch, 0, 40_000, () => 0)).toEqual([1500, 8000, 32_500])
    expect(look(watch, 40_500, 50_000, (at) => Math.min(at, 45_000))).toEqual([46_500])
  })
})
