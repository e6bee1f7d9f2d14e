import sharp from 'sharp'

/** A file to upload. */
export async function samplePicture(): Promise<{ name: string; mimeType: string; buffer: Buffer }> {
  const create = { width: 40, height: 60, channels: 3 as const, background: { r: 200, g: 20, b: 30 } }
  return { name: 'me.png', mimeType: 'image/png', buffer: await sharp({ create }).png().toBuffer() }
}
