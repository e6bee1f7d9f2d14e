import { expect, test } from 'vitest'
import { unreachable } from '../unreachable.ts'
import { describeWithMedia } from './media-under-test.ts'
import { controls, join, twoAt } from './voice-visit.ts'

describeWithMedia(
  'a voice room with a large picture, its chat and its members',
  (visitor) => {
    test('neither covers nor cuts off a button at any width', async () => {
      const { his, hers } = await twoAt(visitor, 'voice')
      await join(his, hers)
      await controls(hers).getByRole('button', { name: 'Share screen' }).click()
      await controls(his).getByRole('button', { name: 'Share screen' }).click()
      await his.getByRole('region', { name: 'Large picture' }).waitFor()
      await his.getByRole('list', { name: 'Shared screens' }).waitFor()
      for (const width of [1600, 1280, 1180, 1100, 1081]) {
        await his.setViewportSize({ width, height: 800 })
        expect(await unreachable(his), `${width} pixels wide`).toEqual([])
      }
      await his.getByRole('button', { name: 'Members', exact: true }).click()
      for (const width of [1081, 1000, 800, 721, 640, 412, 360]) {
        await his.setViewportSize({ width, height: 800 })
        expect(await unreachable(his), `${width} pixels wide, without members`).toEqual([])
      }
    })
  },
  { only: 'embedded' },
)
