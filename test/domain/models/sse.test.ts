import { describe, expect, test } from '@jest/globals'
import { SseSplitter } from '../../../domain/models/sse.ts'

const encode = (text: string) => new TextEncoder().encode(text)
const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

describe('a stream of whole events', () => {
  test.each([['\n'], ['\r\n'], ['\r']])('is parsed event by event, at once (line end %j)', (eol) => {
    const splitter = new SseSplitter()
    for (const data of ['one', 'two', 'three']) {
      const event = `event: x${eol}data: ${data}${eol}${eol}`
      expect(splitter.push(encode(event)).map(({ bytes, data }) => [decode(bytes), data])).toEqual([[event, data]])
    }
    expect(splitter.end()).toEqual([])
  })
})

test('several data lines are one text; comments have none', () => {
  const splitter = new SseSplitter()
  expect(splitter.push(encode('data: a\ndata:b\n\n: waiting\n\n')).map(({ data }) => data)).toEqual(['a\nb', null])
})

test('an event without end is passed through unread before it fills the memory', () => {
  const splitter = new SseSplitter()
  const chunk = new Uint8Array(1024 * 1024).fill(97)
  const out = Array.from({ length: 5 }, () => splitter.push(chunk)).flat()
  expect(out.map(({ bytes, data }) => [bytes.length, data])).toEqual([[5 * 1024 * 1024, null]])
})
