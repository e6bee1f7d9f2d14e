import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { portal } from '../../server/test/channel-fixture.ts'
import { describeInBrowser } from '../browser.ts'
import { signedOut } from '../portal-visit.ts'

interface Manifest {
  name: string
  start_url: string
  display: string
  icons: { src: string; type: string; sizes: string; purpose?: string }[]
}

describeInBrowser('the web app manifest', ({ open }) => {
  test('lists icons with their real sizes', async () => {
    const { server } = await portal()
    const page = await open(`${server.url}/sign-in`, signedOut)
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    const href = await page.locator('link[rel="manifest"]').getAttribute('href')
    const answer = await fetch(server.url + href)
    expect(answer.headers.get('content-type')).toMatch(/^application\/manifest\+json/)
    const manifest = (await answer.json()) as Manifest
    expect(manifest).toMatchObject({ start_url: '/', display: 'standalone' })
    expect(manifest.icons.map(({ sizes, purpose }) => [sizes, purpose])).toEqual(
      expect.arrayContaining([
        ['192x192', undefined],
        ['512x512', undefined],
        ['512x512', 'maskable'],
      ]),
    )

    for (const { src, type, sizes } of manifest.icons) {
      const icon = await fetch(server.url + src)
      expect([src, icon.headers.get('content-type')?.split(';')[0]]).toEqual([src, type])
      if (sizes !== 'any') expect([src, await sizeOf(page, src)]).toEqual([src, sizes])
    }
    const apple = await page.locator('link[rel="apple-touch-icon"]').getAttribute('href')
    expect(await sizeOf(page, apple ?? '')).toBe('180x180')
  })

  test('sets the window color to the theme’s', async () => {
    const { server } = await portal()
    const page = await open(`${server.url}/sign-in`, signedOut)
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    const colors = await page
      .locator('meta[name="theme-color"]')
      .evaluateAll((metas) => metas.map((meta) => [meta.getAttribute('media'), meta.getAttribute('content')]))
    expect(colors).toEqual([
      ['(prefers-color-scheme: light)', '#e6e8ee'],
      ['(prefers-color-scheme: dark)', '#12141a'],
    ])
  })
})

async function sizeOf(page: Page, src: string): Promise<string> {
  return page.evaluate(async (address) => {
    const image = new Image()
    image.src = address
    await image.decode()
    return `${image.naturalWidth}x${image.naturalHeight}`
  }, src)
}
