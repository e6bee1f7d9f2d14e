import { describe, expect, test } from 'vitest'
import { fileName } from './file-name.ts'

describe('fileName', () => {
  test.each([
    ['floor plan.png', 'floor plan.png'],
    ['Отчёт за март.pdf', 'Отчёт за март.pdf'],
    ['👩‍👧.jpg', '👩‍👧.jpg'],
    ['../../etc/passwd', 'passwd'],
    [String.raw`C:\Users\ada\plan.png`, 'plan.png'],
    ['..', 'file'],
    ['/', 'file'],
    [' . ', 'file'],
    ['.htaccess', 'htaccess'],
    ['photo\u202Egpj.exe', 'photogpj.exe'],
    ['a\u0000b\r\nc.txt', 'abc.txt'],
    ['a"b<c>:d|e?f*g`.txt', 'a_b_c__d_e_f_g_.txt'],
    ['e\u0301.txt', '\u00E9.txt'],
    ['preview', 'preview.bin'],
  ])('turns %j into %j', (sent, name) => {
    expect(fileName(sent)).toBe(name)
  })

  test('shortens a long name, and keeps its extension', () => {
    expect(fileName(`${'я'.repeat(200)}.tar.gz`)).toBe(`${'я'.repeat(97)}.gz`)
    expect(fileName(`a.${'b'.repeat(200)}`)).toHaveLength(100)
    expect([...fileName('😀'.repeat(200))]).toHaveLength(100)
  })
})
