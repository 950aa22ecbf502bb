import { describe, expect, it } from '@jest/globals'
import { changeInput } from '../../../adapters/dynamo/calls.ts'
import { clause, itemAt, type UnknownIn } from '../../../adapters/dynamo/expressions.ts'

const user = itemAt<'email' | 'eraseAt'>('users', { id: 'usr_1' })
const name: string = 'd20260101'

describe('expressions', () => {
  it('name attributes of the item, keys and indexes of tables, mapped names, and names made at run time', () => {
    const written = changeInput({
      ...user,
      update: `SET #email = :email, #dueAt = :at, #${name} = :at, #eraseAt.#part = :at${clause('REMOVE', ['#ttl'])}`,
      condition: 'attribute_exists(#id)',
      names: { '#part': 'a-b' },
    })
    expect(Object.values(written.ExpressionAttributeNames ?? {}).sort()).toEqual(
      ['a-b', name, 'dueAt', 'email', 'eraseAt', 'id', 'ttl'].sort(),
    )
  })

  it('do not compile with another name: the compiler finds it in any part', () => {
    type In<Text extends string> = UnknownIn<Text, '#email' | '#eraseAt'>
    // Each line compiles only while the compiler finds this name.
    const misspelt: In<'SET #emial = :email'> = '#emial'
    const nextToRight: In<'REMOVE #email, #eraseAt, #last'> = '#last'
    const inBrackets: In<'#email = :email AND (attribute_exists(#erased) OR size(#email) > :one)'> = '#erased'
    const ofPath: In<'#email.#name = :name'> = '#name'
    const afterHole: In<`SET #${string} = :at,\n#erase = :at`> = '#erase'
    const afterNumber: In<`#d${number} = :at AND ${string} AND #late`> = '#late'
    const unread: In<string> = 'an expression must be a literal or a template'
    const found = [misspelt, nextToRight, inBrackets, ofPath, afterHole, afterNumber, unread]
    expect(new Set(found).size).toBe(found.length)
  })
})
