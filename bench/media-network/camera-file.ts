import { open } from 'node:fs/promises'

const FRAMES = 15
const RATE = 15

/** Writes a picture that moves and has grain, so that an encoder needs all the bit rate that it may use: Chromium's own is too plain. */
export async function writeCameraFile(path: string, width: number, height: number): Promise<void> {
  await using file = await open(path, 'w')
  await file.write(`YUV4MPEG2 W${width} H${height} F${RATE}:1 Ip A1:1 C420jpeg\n`)
  const luma = Buffer.alloc(width * height)
  const chroma = Buffer.alloc((width * height) / 2)
  let state = 1
  for (let frame = 0; frame < FRAMES; frame += 1) {
    for (let at = 0; at < luma.length; at += 1) {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
      const [x, y] = [at % width, Math.floor(at / width)]
      const wave = 60 * Math.sin((x + frame * (width / FRAMES)) / 40) * Math.cos(y / 30)
      luma[at] = 128 + wave + ((state >>> 24) & 0x0f)
    }
    for (let at = 0; at < chroma.length; at += 1) chroma[at] = 96 + ((at + frame * 16) % 64)
    await file.write('FRAME\n')
    await file.write(luma)
    await file.write(chroma)
  }
}
