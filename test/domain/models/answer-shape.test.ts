import { expect, test } from '@jest/globals'
import { isEventStream, shapeOf } from '../../../domain/models/answer-shape.ts'

const shape = (text: string) => shapeOf(Buffer.from(text))

test.each([
  ['{"id":1}', 'json'],
  ['\n   {', 'json'],
  ['\ufeff{', 'json'],
  [' \t\r\n\v\u00a0{', 'json'],
  ['data: x', 'events'],
  ['data:{', 'events'],
  ['\r\n\r\nevent: x', 'events'],
  [': OPENROUTER PROCESSING', 'events'],
  ['\ufeffid: 1', 'events'],
  ['retry: 3', 'events'],
  ['<!DOCTYPE html>', 'neither'],
  ['[{"error":1}]', 'neither'],
  ['error: no', 'neither'],
  ['database is down', 'neither'],
  ['', null],
  [' \r\n\t', null],
  ['da', null],
  ['even', null],
])('a response that begins with %j is %s', (text, found) => {
  expect(shape(text)).toBe(found)
})

test('an incomplete byte order mark decides nothing', () => {
  expect([1, 2, 3].map((length) => shapeOf(Buffer.from('\ufeff').subarray(0, length)))).toEqual([null, null, null])
})

test('endless white space is not a response', () => {
  expect(shape(' '.repeat(70_000))).toBe('neither')
})

test('a content type is compared as RFC 9110 says', () => {
  for (const type of ['text/event-stream', 'TEXT/EVENT-STREAM; charset=utf-8', 'Text/Event-Stream;charset=UTF-8'])
    expect(isEventStream(type)).toBe(true)
  for (const type of ['', 'text/plain', 'application/json', 'text/event-streams'])
    expect(isEventStream(type)).toBe(false)
})
