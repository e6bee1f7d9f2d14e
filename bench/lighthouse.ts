import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { circumstances } from './api/circumstances.ts'
import { startPortico } from './api/start-portico.ts'
import { seed } from './portal/seed.ts'
import { Stopping } from './stopping.ts'

const LIGHTHOUSE = 'lighthouse@13.5.0'
const LAST = join(import.meta.dirname, 'lighthouse.json')
const CATEGORIES = ['performance', 'accessibility', 'best-practices', 'seo'] as const
const TIMES = { paint: 'first-contentful-paint', largest: 'largest-contentful-paint', blocked: 'total-blocking-time' }
const AIMS = { desktop: { 'sign-in': 95, chat: 95 }, mobile: { 'sign-in': 90, chat: 80 } } as const

interface Report {
  readonly categories: Record<string, { readonly score: number }>
  readonly audits: Record<string, { readonly numericValue: number }>
}

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '5' }, out: { type: 'string' } } })
const run = promisify(execFile)
const stopping = new Stopping()

try {
  const portico = await startPortico({ profileTo: undefined })
  stopping.add(portico.stop)
  console.log('Seeding…')
  const { origin, cookie, tenThousand } = await seed(portico)
  const around = circumstances()
  const figures = []
  for (const form of ['desktop', 'mobile'] as const) {
    for (const page of ['sign-in', 'chat'] as const) {
      // Every channel starts with an empty room, so `/` would show no message.
      const url = page === 'chat' ? origin + tenThousand.path : `${origin}/`
      const headers = page === 'chat' ? { Cookie: cookie } : {}
      const reports: Report[] = []
      while (reports.length < Number(values.rounds)) reports.push(await audit(url, form, headers))
      const scores = CATEGORIES.map((name) => [name, median(reports, ({ categories }) => scoreOf(categories[name]))])
      const times = Object.entries(TIMES).map(([name, id]) => [
        name,
        Math.round(median(reports, ({ audits }) => audits[id]?.numericValue ?? NaN)),
      ])
      const figure = { page, form, aim: AIMS[form][page], ...Object.fromEntries([...scores, ...times]) }
      console.log(JSON.stringify(figure))
      figures.push(figure)
    }
  }
  await writeFile(values.out ?? LAST, `${JSON.stringify({ ...around, lighthouse: LIGHTHOUSE, figures }, null, 2)}\n`)
} finally {
  await stopping.all()
}

/** Opens a page in a browser of its own that has nothing of the portal. */
async function audit(url: string, form: 'desktop' | 'mobile', headers: Record<string, string>): Promise<Report> {
  const out = join(tmpdir(), `portico-lighthouse-${process.pid}.json`)
  const flags = [
    '--output=json',
    `--output-path=${out}`,
    '--quiet',
    `--extra-headers=${JSON.stringify(headers)}`,
    // The sandbox refuses root and needs rights that containers lack; the pages are our own.
    '--chrome-flags=--headless=new --no-sandbox --disable-dev-shm-usage',
    ...(form === 'desktop' ? ['--preset=desktop'] : []),
  ]
  const env = { ...process.env, CHROME_PATH: process.env['PORTICO_CHROMIUM'] }
  await run('npx', ['--yes', LIGHTHOUSE, url, ...flags], { env })
  const report: Report = JSON.parse(await readFile(out, 'utf8'))
  return report
}

function scoreOf(category: { readonly score: number } | undefined): number {
  return Math.round(100 * (category?.score ?? NaN))
}

function median(reports: readonly Report[], valueOf: (report: Report) => number): number {
  const sorted = reports.map(valueOf).toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? NaN
}
