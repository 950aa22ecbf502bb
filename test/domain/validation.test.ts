import * as z from 'zod'
import { explainIssue } from '../../domain/validation.ts'
import { operations } from '../../lambdas/areas.ts'

const said = (schema: z.ZodType, value: unknown) =>
  schema.safeParse(value, { error: explainIssue }).error?.issues.map(({ message }) => message)

describe('a validation error in our own words', () => {
  test.each<[string, z.ZodType, unknown, string]>([
    ['a missing value', z.string(), undefined, 'This is required.'],
    ['a number instead of a text', z.string(), 1, 'Use a string.'],
    ['a fraction instead of a whole number', z.int(), 1.5, 'Use a whole number.'],
    ['a text below the minimum length', z.string().min(1), '', 'Use at least 1 character.'],
    ['a text above the maximum length', z.string().max(2), 'abc', 'Use at most 2 characters.'],
    ['too many items', z.array(z.string()).max(1), ['a', 'b'], 'Use at most 1 item.'],
    ['a number above the maximum', z.int().max(5), 6, 'Use at most 5.'],
    ['a value outside a list', z.enum(['a', 'b']), 'c', 'Use one of a, b.'],
    ['a different constant', z.literal(true), false, 'Use true.'],
    ['an invalid address', z.email(), 'x', 'This is not an e-mail address.'],
    ['a text that does not match its pattern', z.string().regex(/^a$/), 'b', 'This is not written as it should be.'],
    ['an unknown field', z.strictObject({}), { a: 1 }, 'There is no such field.'],
    ['a value outside a union', z.union([z.string(), z.int()]), true, 'This value is not accepted.'],
    ['a schema with its own message', z.string().regex(/^a$/, 'Say a.'), 'b', 'Say a.'],
  ])('explains %s', (_, schema, value, message) => {
    expect(said(schema, value)).toEqual([message])
  })

  test('exists for every field of every operation', () => {
    const theirs = /^Invalid|^Too (small|big)|^Unrecognized|expected .*received/
    for (const { id, input } of operations) {
      for (const [name, field] of Object.entries<z.ZodType>(input.shape)) {
        for (const value of [undefined, null, 'Ā'.repeat(40_000), -1, 1e12, 0.5, true, [null], [{}], {}]) {
          for (const message of said(field, value) ?? [])
            expect([id, name, message]).not.toEqual([id, name, expect.stringMatching(theirs)])
        }
      }
    }
  })
})
