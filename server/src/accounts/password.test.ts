import { describe, expect, test } from 'vitest'
import { hashPassword, verifyNothing, verifyPassword } from './password.ts'

describe('hashPassword', () => {
  test('writes argon2id in the standard format, with its cost', async () => {
    expect(await hashPassword('correct horse battery')).toMatch(
      /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/,
    )
  })

  test('salts: the same password never produces the same hash', async () => {
    expect(await hashPassword('correct horse battery')).not.toBe(await hashPassword('correct horse battery'))
  })
})

describe('verifyPassword', () => {
  test('accepts the password and no other', async () => {
    const hash = await hashPassword('correct horse battery')
    expect(await verifyPassword('correct horse battery', hash)).toBe(true)
    expect(await verifyPassword('Correct horse battery', hash)).toBe(false)
    expect(await verifyPassword('', hash)).toBe(false)
  })

  test('verifies a hash from another implementation with another cost', async () => {
    // Python, argon2-cffi 25.1: PasswordHasher(time_cost=1, memory_cost=1024, parallelism=2).hash('пароль')
    const hash = '$argon2id$v=19$m=1024,t=1,p=2$CWkbwf1F1vLAFaKCOcJiIg$RAvr956lweEmCfchTz7Wdh3oUozyLkXRVKHQIHxYH9g'
    expect(await verifyPassword('пароль', hash)).toBe(true)
    expect(await verifyPassword('parol', hash)).toBe(false)
  })

  test('treats composed and decomposed letters as equal', async () => {
    const hash = await hashPassword('Zoë Müller 1999')
    expect(await verifyPassword('Zoë Müller 1999'.normalize('NFD'), hash)).toBe(true)
  })

  test('throws if the stored text is not a hash', async () => {
    await expect(verifyPassword('x', 'plain text')).rejects.toThrow('argon2id form')
  })

  test('does the same work for an unknown name', async () => {
    await expect(verifyNothing('anything')).resolves.toBeUndefined()
  })
})
