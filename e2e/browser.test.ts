import { createServer, type Server } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeInBrowser } from './browser.ts'
import { axeViolations } from './axe-violations.ts'

/** A page for each kind of error, and one without errors. */
const pages: Record<string, string> = {
  '/quiet': '<p>Good morning</p>',
  '/foreign': '<img src="http://foreign.invalid/pixel.png" alt="">',
  '/socket': '<script>new WebSocket("ws://foreign.invalid/").onerror = () => document.body.append("closed")</script>',
  '/console': '<script>console.error("out of milk")</script>',
  '/uncaught': '<script>throw new Error("out of tea")</script>',
  '/dim': `<style>
      :root { color-scheme: light dark; color: light-dark(black, #333); background: light-dark(white, black) }
    </style>
    <html lang="en"><title>Lamps</title><main><h1>Lamps</h1><img src="data:,"></main>`,
  '/policy': '<script nonce="other">document.title = "no"</script>',
}

describeInBrowser('describeInBrowser', ({ open }) => {
  let server: Server
  let origin = ''

  beforeAll(async () => {
    server = createServer((request, response) => {
      const policy = request.url === '/policy' ? { 'content-security-policy': "script-src 'self'" } : {}
      const icon = '<link rel="icon" href="data:,">'
      response.writeHead(200, { 'content-type': 'text/html', ...policy }).end(icon + (pages[request.url ?? ''] ?? ''))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    if (address === null || typeof address === 'string') throw new Error('The server has no port')
    origin = `http://127.0.0.1:${address.port}`
  })
  afterAll(() => new Promise((resolve) => server.close(resolve)))

  test('passes for a page without errors', async () => {
    const page = await open(`${origin}/quiet`)
    await expect.poll(() => page.getByText('Good morning').isVisible()).toBe(true)
  })

  test.fails('fails on a page with errors', async () => {
    await open(`${origin}/console`)
  })

  test.fails('fails when an expected error does not occur', async () => {
    await open(`${origin}/quiet`, { provokes: [/out of milk/] })
  })

  test.each([
    ['an image from a foreign host', '/foreign', [/foreign host: http:/, /console: Failed to load/]],
    ['an error in the console', '/console', [/console: out of milk/]],
    ['an error that nobody catches', '/uncaught', [/uncaught: Error: out of tea/]],
    ['a script against the Content-Security-Policy', '/policy', [/console: .*Content Security Policy/]],
  ])('reports %s', async (_, path, provokes) => {
    await open(origin + path, { provokes })
  })

  test('reports a socket to a foreign host', async () => {
    const page = await open(`${origin}/socket`, { provokes: [/foreign host: ws:/, /console: WebSocket/] })
    await page.getByText('closed').waitFor()
  })

  test('shows axe violations in the light and dark theme', async () => {
    const page = await open(`${origin}/dim`)
    const found = await axeViolations(page)
    expect(found.map((violation) => violation.split(':')[0])).toEqual(['dark, color-contrast', 'light, image-alt'])
    expect(await axeViolations(page, { lightOnly: true })).toEqual([expect.stringMatching(/^light, image-alt:/)])
  })
})
