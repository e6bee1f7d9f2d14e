import { execFileSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { startServer } from '../../../test/start-server.ts'
import { BOT_EVENT_KINDS } from '../../events/bot-event-kinds.ts'
import { botDocument } from '../documents.ts'
import type { OperationObject } from '../openapi/document.ts'
import { curl } from './curl.ts'
import { html } from './html.ts'
import { headingsOf, markdown } from './markdown.ts'

const server = await startServer()

describe('the API reference', () => {
  test('may load nothing but its own files, and nothing inline', async () => {
    const response = await fetch(`${server.url}/docs`)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    const policy = response.headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'")
    expect(policy).not.toMatch(/unsafe|https?:/)

    const page = await response.text()
    expect(page).not.toMatch(/<style|<script(?! src="\/docs\/)|\sstyle="|\son\w+="|javascript:/i)
    const requested = [...page.matchAll(/\s(?:src|href)="([^"#][^"]*)"/g)].map(([, address]) => address)
    expect(requested.filter((address) => !address?.startsWith('/'))).toEqual([])
  })

  test('has every file it requests, and revalidates with ETags', async () => {
    for (const file of [
      '',
      '/search.json',
      '/style.css',
      '/script.js',
      '/icon.svg',
      '/inter.woff2',
      '/portico-sdk.tgz',
    ]) {
      const first = await fetch(`${server.url}/docs${file}`)
      expect([file, first.status]).toEqual([file, 200])
      const etag = first.headers.get('etag') ?? ''
      const again = await fetch(`${server.url}/docs${file}`, { headers: { 'if-none-match': etag } })
      expect([file, again.status]).toEqual([file, 304])
    }
  })

  test('has an anchor for every link within it', async () => {
    const page = await (await fetch(`${server.url}/docs`)).text()
    const anchors = [...page.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id)
    expect(new Set(anchors).size).toBe(anchors.length)
    const links = [...page.matchAll(/\shref="#([^"]+)"/g)].map(([, id]) => id)
    expect(links.filter((id) => !anchors.includes(id))).toEqual([])
  })
})

describe('the guides', () => {
  test('are pages of their own, listed on every page, without broken links', async () => {
    const index = await (await fetch(`${server.url}/docs`)).text()
    const urls = [...new Set([...index.matchAll(/href="(\/docs\/guides\/[\w-]+)"/g)].map(([, url = '']) => url))]
    expect(urls.length).toBeGreaterThan(8)
    const pages = new Map([['/docs', index]])
    for (const url of urls) {
      const response = await fetch(server.url + url)
      expect([url, response.status]).toEqual([url, 200])
      pages.set(url, await response.text())
    }
    const broken: string[] = []
    for (const [url, page] of pages) {
      expect(page).not.toMatch(/<style|<script(?! src="\/docs\/)|\sstyle="|\son\w+="|javascript:/i)
      for (const other of urls) expect(page).toContain(`href="${other}"`)
      for (const [, href = ''] of page.matchAll(/\shref="([^"]+)"/g)) {
        const { pathname, hash, origin } = new URL(href, server.url + url)
        if (origin !== server.url || !pathname.startsWith('/docs') || pathname.includes('.')) continue
        if (!pages.get(pathname)?.includes(hash === '' ? '<main' : `id="${hash.slice(1)}"`))
          broken.push(`${url}: ${href}`)
      }
    }
    expect(broken).toEqual([])
  })

  test('show the same sample in three languages', async () => {
    const page = await (await fetch(`${server.url}/docs/guides/bot-api`)).text()
    const groups = [...page.matchAll(/<div class="samples">([\s\S]*?)<\/div>/g)].map(([, group = '']) => group)
    expect(groups.length).toBeGreaterThan(7)
    for (const group of groups) {
      const languages = [...group.matchAll(/data-language="(\w+)"/g)].map(([, language]) => language)
      expect(languages).toEqual(['curl', 'TypeScript', 'Python'])
    }
  })

  test('leave no Markdown syntax', async () => {
    const page = await (await fetch(`${server.url}/docs/guides/bot-api`)).text()
    const words = page.replaceAll(/<pre>[\s\S]*?<\/pre>|<code>.*?<\/code>/g, '')
    expect(words).not.toMatch(/\*\*|`|^#|\]\(/m)
  })

  test('are found by section, and operations by name', async () => {
    const found = (await (await fetch(`${server.url}/docs/search.json`)).json()) as { url: string; text: string }[]
    expect(found.find(({ url }) => url === '/docs/guides/bot-api#leaked-keys')?.text).toMatch(/key/)
    expect(found.find(({ url }) => url === '/docs#sendMessage')?.text).toContain('POST /rooms/{roomId}/messages')
  })
})

describe('the API reference alone', () => {
  test('describes the events, their delivery and signature checks', async () => {
    const page = await (await fetch(`${server.url}/docs`)).text()
    for (const { event } of BOT_EVENT_KINDS) expect(page).toContain(`<code>${event}</code>`)
    for (const heading of ['events', 'websocket', 'webhook']) expect(page).toContain(`<h2 id="${heading}">`)
    expect(page).toContain('timingSafeEqual')
  })
})

describe('html', () => {
  test('escapes text', () => {
    expect(html`<p title="${'"><b>'}">${'<script>&'}</p>`.markup).toBe(
      '<p title="&quot;&gt;&lt;b&gt;">&lt;script&gt;&amp;</p>',
    )
  })
})

describe('markdown', () => {
  test('renders headings, lists, fences and inline markup', () => {
    const text =
      'A **bold** `<word>`\nand [more](#one-more).\n\n## Quotas and more\n\n- one\n- two\n  lines\n\n1. first\n\n```json\n{ "a": 1 }\n```'
    const { markup } = markdown(text)
    expect(markup).toContain(
      '<p>A <strong>bold</strong> <code>&lt;word&gt;</code>\nand <a href="#one-more">more</a>.</p>',
    )
    expect(markup).toContain('<h2 id="quotas-and-more">Quotas and more</h2>')
    expect(markup).toContain('<li>two\nlines</li>')
    expect(markup).toMatch(/<ol>\s*<li>first<\/li>\s*<\/ol>/)
    expect(markup).toContain('<span class="key">&quot;a&quot;</span>: <span class="literal">1</span>')
    expect(headingsOf(text)).toEqual([{ id: 'quotas-and-more', title: 'Quotas and more' }])
  })

  test('leaves no Markdown syntax in the description of the bot API', () => {
    const { markup } = markdown(botDocument('https://chat.example', '1.0.0').info.description)
    const words = markup.replaceAll(/<pre>[\s\S]*?<\/pre>|<code>.*?<\/code>/g, '')
    expect(words).not.toMatch(/\*\*|`|^#|\|/m)
  })
})

describe.skipIf(process.platform === 'win32')('a curl line', () => {
  test('passes every example to curl unchanged', () => {
    const operation: OperationObject = {
      operationId: 'greet',
      summary: 'Greet',
      tags: [],
      responses: {},
      parameters: [
        { name: 'roomId', in: 'path', required: true, schema: {}, example: 'r1' },
        { name: 'limit', in: 'query', required: true, schema: {}, example: 'a&b' },
        { name: 'page', in: 'query', required: false, schema: {}, example: 2 },
      ],
      requestBody: {
        required: true,
        content: { 'application/json': { schema: {}, example: { text: `it's $HOME "now"` } } },
      },
    }
    const line = curl('https://chat.example/api/v1', { method: 'POST', path: '/rooms/{roomId}', operation })
    const output = execFileSync('sh', ['-c', `curl() { printf '%s\\036' "$@"; }\n${line}`], {
      env: { PORTICO_KEY: 'portico_bot_1' },
    })
    expect(output.toString().split('\x1e').slice(0, -1)).toEqual([
      '-X',
      'POST',
      'https://chat.example/api/v1/rooms/r1?limit=a%26b',
      '-H',
      'Authorization: Bot portico_bot_1',
      '-H',
      'Content-Type: application/json',
      '-d',
      `{\n    "text": "it's $HOME \\"now\\""\n  }`,
    ])
  })
})
