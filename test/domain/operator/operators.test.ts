import { checkOperator, operatorsText, readOperators } from '../../../domain/operator/operators.ts'

const now = Date.parse('2026-11-20T12:00:00.000Z')
const asking = { email: 'ada@example.com', passkeyId: 'pky_a', signedInAt: '2026-11-20T11:55:00.000Z' }
const check = (
  text: string,
  change: { email?: string | null; passkeyId?: string | null; signedInAt?: string } = {},
) => {
  try {
    return checkOperator(readOperators(text), { ...asking, ...change }, now)
  } catch (error) {
    return (error as Error).message
  }
}

describe('the stage’s operators', () => {
  test('are addresses with an optional required passkey, read in any spelling', () => {
    const text = ' Ada@Example.com , bob@example.com/pky_b'
    const read = readOperators(text)
    expect([...read]).toEqual([
      ['ada@example.com', null],
      ['bob@example.com', 'pky_b'],
    ])
    expect(readOperators(operatorsText(read))).toEqual(read)
  })

  test('are nobody unless the setting names one', () => {
    expect(readOperators('').size).toBe(0)
    expect(operatorsText(new Map())).not.toBe('')
    expect(readOperators(operatorsText(new Map())).size).toBe(0)
    expect(check('')).toBe('This is for the operators of the service.')
  })

  test.each([
    '*',
    'example.com',
    '@example.com',
    'ada@example.com/',
    'ada@example.com/key',
    'a@example.com/pky_a/pky_b',
  ])('cannot be given as %s', (text) => expect(() => readOperators(text)).toThrow('is no e-mail address'))
})

describe('checkOperator', () => {
  test('admits a named operator, with any passkey or with the required one', () => {
    expect(check('ada@example.com')).toBe('ada@example.com')
    expect(check('bob@example.com,ada@example.com/pky_a')).toBe('ada@example.com')
  })

  test('refuses a deleted or closed account, and a look-alike address', () => {
    for (const email of ['ada@example.com.example.org', 'xada@example.com', 'ada+1@example.com', ''])
      expect(check('ada@example.com', { email })).toContain('for the operators')
    expect(check('ada@example.com', { email: null })).toContain('for the operators')
  })

  test('refuses a sign-in by e-mail, another passkey, and one older than ten minutes', () => {
    expect(check('ada@example.com', { passkeyId: null })).toContain('sign-in with a passkey')
    expect(check('ada@example.com/pky_b')).toContain('another passkey')
    expect(check('ada@example.com', { signedInAt: '2026-11-20T11:50:00.000Z' })).toBe('ada@example.com')
    expect(check('ada@example.com', { signedInAt: '2026-11-20T11:49:59.999Z' })).toContain('of the last 10 minutes')
    expect(check('ada@example.com', { signedInAt: 'nonsense' })).toContain('of the last 10 minutes')
  })

  test('tells other users nothing about its rules', () => {
    expect(check('bob@example.com', { passkeyId: null, signedInAt: '2020-01-01T00:00:00.000Z' })).toBe(
      'This is for the operators of the service.',
    )
  })
})
