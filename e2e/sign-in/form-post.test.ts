import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import type { OAuthState } from '@portico/contract'
import { expect, onTestFinished, test } from 'vitest'
import { freePort } from '../../server/test/free-port.ts'
import { expectOk, portal, channelFixture } from '../../server/test/channel-fixture.ts'
import { describeInBrowser } from '../browser.ts'
import { signedOut, signIn } from '../portal-visit.ts'

type Answer = (request: IncomingMessage, response: ServerResponse) => Promise<void> | void

async function serve(port: number, answer: Answer): Promise<void> {
  const server = createServer((request, response) => void answer(request, response)).listen(port, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
}

describeInBrowser('a website on another site', ({ open }) => {
  test('sends and receives form posts, and redirects the person to a third site', async () => {
    const [portalPort, sitePort, shopPort] = [await freePort(), await freePort(), await freePort()]
    const url = `http://127.0.0.1:${portalPort}`
    await portal({ PORT: String(portalPort), PUBLIC_URL: url })
    const { owner, newPerson } = await channelFixture()
    const person = await newPerson()
    const site = `http://localhost:${sitePort}`
    const shop = `http://127.0.0.1:${shopPort}/welcome`
    const { id } = expectOk(await owner.post<{ id: string }>('/applications', { name: 'Fleet' }))
    const redirectUri = `${site}/signed-in`
    const { oauth } = expectOk(await owner.put<{ oauth: OAuthState }>(`/applications/${id}/oauth`, { redirectUri }))

    const fields = {
      client_id: oauth.clientId,
      response_type: 'code',
      response_mode: 'form_post',
      redirect_uri: redirectUri,
      scope: 'openid profile email offline_access',
      state: 'from the form',
    }
    const inputs = Object.entries(fields).map(
      ([name, value]) => `<input type="hidden" name="${name}" value="${value}">`,
    )
    const head = '<!doctype html><title>Fleet</title><link rel="icon" href="data:,">'
    const received: URLSearchParams[] = []
    await serve(sitePort, async (request, response) => {
      if (request.method === 'POST') {
        received.push(new URLSearchParams(await text(request)))
        response.writeHead(303, { location: shop }).end()
        return
      }
      response.setHeader('content-type', 'text/html')
      response.end(
        `${head}<form method="post" action="${oauth.authorizationUrl}">${inputs.join('')}<button>Go</button></form>`,
      )
    })
    await serve(shopPort, (_request, response) => {
      response.setHeader('content-type', 'text/html')
      response.end(`${head}<h1>Welcome</h1>`)
    })

    const hosts = [portalPort, shopPort].map((port) => `127.0.0.1:${port}`)
    const page = await open(site, { ...signedOut, alsoHosts: hosts })
    await page.getByRole('button', { name: 'Go' }).click()
    await page.getByLabel('Name', { exact: true }).waitFor()
    await signIn(page, person)
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.getByRole('heading', { name: 'Welcome' }).waitFor()

    // Already signed in, with consent: only redirects and forms between the two sites.
    await page.goto(site)
    await page.getByRole('button', { name: 'Go' }).click()
    await page.getByRole('heading', { name: 'Welcome' }).waitFor()
    expect(received.map((sent) => [sent.get('state'), sent.has('code'), sent.get('iss')])).toEqual([
      ['from the form', true, url],
      ['from the form', true, url],
    ])
  })
})
