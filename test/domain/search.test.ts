import * as fc from 'fast-check'
import type { Message } from '../../domain/chat/message.ts'
import { excerptOf, find, folded, mostFound, wordsOf } from '../../domain/chat/search.ts'

const said = (text: string, more: Partial<Message> = {}): Message => ({
  id: 'msg_01KAHB2N3P4Q5R6S7T8V9WXYZ0',
  role: 'agent',
  text,
  conversation: 'main',
  channel: 'web',
  at: '2026-11-20T12:00:00.000Z',
  ...more,
})

describe('a search in messages', () => {
  test.each([
    ['High TIDE at ten', 'tide', true],
    ['Die Flut ist über dem Deich', 'UBER deich', true],
    ['Cafe\u0301 au lait', 'café', true],
    ['Café au lait', 'cafe lait', true],
    ['high tide', 'tide low', false],
    ['', 'tide', false],
    ['İstanbul', 'stanbul', true],
  ])('for %j in %j: %j', (text, words, has) => {
    expect(excerptOf(text, wordsOf(words)) !== null).toBe(has)
  })

  test('folds a text without changing its length, so that positions stay valid', () => {
    fc.assert(fc.property(fc.string({ unit: 'grapheme' }), (text) => folded(text).length === text.length))
  })

  test('shows the context of the first match', () => {
    const text = `${'a '.repeat(100)}the tide\nturns${' b'.repeat(200)}`
    const excerpt = excerptOf(text, ['tide']) ?? ''
    expect(excerpt).toMatch(/^… (a )+the tide turns( b)+ …$/)
    expect(excerpt.length).toBeLessThan(220)
    expect(excerptOf(`😀${'x'.repeat(59)}tide`, ['tide'])?.isWellFormed()).toBe(true)
  })

  test('includes the names of files', () => {
    const file = { id: 'att_01KAHB2N3P4Q5R6S7T8V9WXYZ0', name: 'tides.png', type: 'image/png', bytes: 1 }
    expect(find([said('', { attachments: [file] })], 'tides').found).toHaveLength(1)
  })

  test('ends after enough matches, and says so', () => {
    const many = Array.from({ length: mostFound + 1 }, (_, at) => said(`tide ${at}`))
    expect(find(many, 'tide')).toMatchObject({ isWhole: false, last: { text: `tide ${mostFound - 1}` } })
    expect(find(many.slice(1), 'tide')).toMatchObject({ isWhole: true })
    expect(find([], 'tide')).toEqual({ found: [], last: undefined, isWhole: true })
  })
})
