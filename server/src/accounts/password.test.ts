import { describe, expect, test } from 'vitest'
import { hashPassword, verifyNothing, verifyPassword } from './password.ts'

describe('hashPassword', () => {
  test('writes argon2id in the form that other programs read, with its cost', async () => {
    expect(await hashPassword('correct horse battery')).toMatch(
      /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/,
    )
  })

  test('salts: the same password never gives the same hash', async () => {
    expect(await hashPassword('correct horse battery')).not.toBe(await hashPassword('correct horse battery'))
  })
})

describe('verifyPassword', () => {
  test('knows the password again, and no other', async () => {
    const hash = await hashPassword('correct horse battery')
    expect(await verifyPassword('correct horse battery', hash)).toBe(true)
    expect(await verifyPassword('Correct horse battery', hash)).toBe(false)
    expect(await verifyPassword('', hash)).toBe(false)
  })

  test('reads what another implementation wrote, at another cost', async () => {
    // Python, argon2-cffi 25.1: PasswordHasher(time_cost=1, memory_cost=1024, parallelism=2).hash('пароль')
    const hash = '$argon2id$v=19$m=1024,t=1,p=2$CWkbwf1F1vLAFaKCOcJiIg$RAvr956lweEmCfchTz7Wdh3oUozyLkXRVKHQIHxYH9g'
    expect(await verifyPassword('пароль', hash)).toBe(true)
    expect(await verifyPassword('parol', hash)).toBe(false)
  })

  test('takes letters typed in two pieces for the same letters', async () => {
    const hash = await hashPassword('Zoë Müller 1999')
    expect(await verifyPassword('Zoë Müller 1999'.normalize('NFD'), hash)).toBe(true)
  })

  test('fails loudly on a stored text that is no hash', async () => {
    await expect(verifyPassword('x', 'plain text')).rejects.toThrow('argon2id form')
  })

  test('does the same work for nobody', async () => {
    await expect(verifyNothing('anything')).resolves.toBeUndefined()
  })
})
