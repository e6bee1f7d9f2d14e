import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { expect, onTestFinished } from 'vitest'
import type { MediaVisitor } from './media-under-test.ts'
import type { Visit } from '../browser.ts'

/** An empty page of another site than the portal's. */
export async function openForeignPage({ open, media }: MediaVisitor, visit: Visit = {}): Promise<Page> {
  const web = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><link rel="icon" href="data:,">')
  })
  await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    web.closeAllConnections()
    web.close()
  })
  const { port } = web.address() as AddressInfo
  return open(`http://localhost:${port}/`, { alsoHosts: [media.host], ...visit })
}

/** Broadcasts the page's camera and microphone with WHIP, and returns the codecs that it sends, or the status of a refusal. */
export function broadcastFrom(page: Page, url: string, key: string): Promise<readonly string[] | number> {
  return page.evaluate(
    async ([address, bearer]) => {
      const connection = new RTCPeerConnection()
      const captured = await navigator.mediaDevices.getUserMedia({ audio: true, video: true })
      for (const track of captured.getTracks()) connection.addTransceiver(track, { direction: 'sendonly' })
      const codecs = RTCRtpSender.getCapabilities('video')?.codecs ?? []
      const h264 = codecs.filter(({ mimeType }) => mimeType === 'video/H264')
      for (const transceiver of connection.getTransceivers()) {
        const isVideo = transceiver.sender.track?.kind === 'video'
        if (isVideo && h264.length > 0) transceiver.setCodecPreferences(h264)
      }
      await connection.setLocalDescription()
      const answer = await fetch(address, {
        method: 'POST',
        headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/sdp' },
        body: connection.localDescription?.sdp ?? '',
      })
      if (answer.status !== 201) return answer.status
      if (!answer.headers.get('location') || !answer.headers.get('etag')) throw new Error('headers are hidden')
      await connection.setRemoteDescription({ type: 'answer', sdp: await answer.text() })
      return connection.getSenders().map((sender) => sender.getParameters().codecs[0]?.mimeType ?? '')
    },
    [url, key] as const,
  )
}

/** Waits until the video has shown two different pictures. */
export async function seesMovement(page: Page, name: string): Promise<void> {
  await page.getByLabel(name).waitFor()
  const moves = (label: string): false | Promise<boolean> => {
    const video = document.querySelector<HTMLVideoElement>(`video[aria-label="${label}"]`)
    if (!video || video.videoWidth === 0) return false
    const canvas = new OffscreenCanvas(32, 18)
    const context = canvas.getContext('2d')
    const look = (): string => {
      context?.drawImage(video, 0, 0, 32, 18)
      return context?.getImageData(0, 0, 32, 18).data.join() ?? ''
    }
    const before = look()
    return new Promise<boolean>((resolve) => setTimeout(() => resolve(look() !== before), 300))
  }
  await expect.poll(() => page.evaluate(moves, name)).toBe(true)
}
