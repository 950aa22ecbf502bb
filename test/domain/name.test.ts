import { name } from '../../domain/name.ts'
import { operations } from '../../lambdas/areas.ts'

const refused = [
  'a\nb',
  'a\r\nBcc: b@example.com',
  'a\u0000b',
  'a\u007fb',
  'a\u2028b',
  'a\u202eb',
  'a\u2066b',
  ' ',
  'x'.repeat(101),
]

describe('a name', () => {
  const given = name('Give it a name.')

  test.each(refused)('cannot be %j', (text) => expect(given.safeParse(text).success).toBe(false))

  test.each(['laptop', 'Ada’s laptop', '笔记本', 'dev 👩‍💻', ' trimmed\n'])('may be %j', (text) =>
    expect(given.parse(text)).toBe(text.trim()),
  )

  const naming = operations
    .filter(({ input }) => 'name' in input.shape)
    .map((operation) => [operation.id, operation] as const)

  test('is accepted by several operations', () => expect(naming.length).toBeGreaterThan(3))

  test.each(naming)('given for %s follows the rule', (id, { input }) => {
    // A file's name follows its file system, which may allow longer names.
    const wrong = id.endsWith('Attachment') ? refused.filter((text) => text.length < 100) : refused
    for (const text of wrong) expect(input.shape.name.safeParse(text).success).toBe(false)
  })
})
