// Not tar-stream: it installs twelve more packages, half of them native add-ons for another runtime, and a backup needs
// only plain files in the ustar format.
const block = 512
const largest = 8 ** 11 - 1

/** The header of a file in the ustar format; exactly `size` bytes must follow. */
export function tarHeader(name: string, size: number, modifiedAt: Date): Buffer {
  if (size > largest) throw new RangeError(`${name} is too large for the archive (${size} bytes)`)
  const { prefix, rest } = splitName(name)
  const header = Buffer.alloc(block)
  header.write(rest, 0)
  header.write('0000600\0', 100)
  header.write('0000000\0', 108)
  header.write('0000000\0', 116)
  header.write(`${octal(size, 11)} `, 124)
  header.write(`${octal(Math.floor(modifiedAt.getTime() / 1000), 11)} `, 136)
  // The checksum counts its own field as spaces.
  header.write('        ', 148)
  header.write('0', 156)
  header.write('ustar\x0000', 257)
  header.write(prefix, 345)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${octal(sum, 6)}\0 `, 148)
  return header
}

/** The padding after a file of this size, up to the next header. */
export function tarPadding(size: number): Buffer {
  return Buffer.alloc((block - (size % block)) % block)
}

export function tarFile(name: string, content: Buffer | string, modifiedAt: Date): Buffer {
  const bytes = Buffer.from(content)
  return Buffer.concat([tarHeader(name, bytes.length, modifiedAt), bytes, tarPadding(bytes.length)])
}

export const tarEnd = Buffer.alloc(2 * block)

/** A long name is cut at a slash: up to 155 bytes before it, up to 100 after. */
function splitName(name: string): { prefix: string; rest: string } {
  if (Buffer.byteLength(name) <= 100) return { prefix: '', rest: name }
  for (let cut = name.indexOf('/'); cut !== -1; cut = name.indexOf('/', cut + 1)) {
    const prefix = name.slice(0, cut)
    const rest = name.slice(cut + 1)
    if (Buffer.byteLength(prefix) <= 155 && Buffer.byteLength(rest) <= 100) return { prefix, rest }
  }
  throw new RangeError(`the name is too long for the archive: ${name}`)
}

function octal(number: number, digits: number): string {
  return number.toString(8).padStart(digits, '0')
}
