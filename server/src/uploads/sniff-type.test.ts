import { describe, expect, test } from 'vitest'
import { sniffType } from './sniff-type.ts'

describe('sniffType', () => {
  test.each([
    ['image/png', '\x89PNG\r\n\x1a\n\0\0\0\rIHDR'],
    ['image/jpeg', '\xff\xd8\xff\xe0\0\x10JFIF'],
    ['image/gif', 'GIF89a\x01\0\x01\0'],
    ['image/webp', 'RIFF\x24\0\0\0WEBPVP8 '],
    ['image/avif', '\0\0\0\x20ftypavif\0\0\0\0'],
    ['audio/wav', 'RIFF\x24\0\0\0WAVEfmt '],
    ['audio/mpeg', 'ID3\x04\0\0'],
    ['audio/mpeg', '\xff\xfb\x90\x64'],
    ['audio/flac', 'fLaC\0\0\0\x22'],
    ['audio/ogg', 'OggS\0\x02\0\0\0\0\0\0\0\0\x01\x13OpusHead'],
    ['video/ogg', 'OggS\0\x02\0\0\0\0\0\0\0\0\x80theora'],
    ['audio/mp4', '\0\0\0\x20ftypM4A \0\0\0\0'],
    ['video/mp4', '\0\0\0\x20ftypisom\0\0\x02\0'],
    ['video/quicktime', '\0\0\0\x14ftypqt  \0\0\0\0'],
    ['video/webm', '\x1a\x45\xdf\xa3\x9f\x42\x86\x81\x01\x42\x82\x84webm'],
    ['application/pdf', '%PDF-1.7\n'],
    ['application/zip', 'PK\x03\x04\x14\0'],
    ['text/plain', 'name,size\nplan,12\n'],
    ['text/plain', '\xef\xbb\xbfwith a byte order mark'],
    ['text/plain', ''],
    ['application/octet-stream', '<!doctype html><script>alert(1)</script>'],
    ['application/octet-stream', '\n\t <svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'],
    ['application/octet-stream', '\xef\xbb\xbf<?xml version="1.0"?><svg/>'],
    ['application/octet-stream', '\xd0 broken UTF-8'],
    ['application/octet-stream', 'text\0with a zero'],
    ['application/octet-stream', 'XXXX\x24\0\0\0WEBPVP8 '],
    ['application/octet-stream', '\x1a\x45\xdf\xa3\x93\x42\x82\x88matroska'],
    ['application/octet-stream', '\x7fELF\x02\x01\x01\0'],
  ])('recognizes %s', (type, head) => {
    expect(sniffType(Buffer.from(head, 'latin1'))).toBe(type)
  })

  test('recognizes text whose last character is cut off', () => {
    const text = Buffer.from('Привет')
    expect(sniffType(text.subarray(0, text.length - 1))).toBe('text/plain')
  })
})
