import * as fc from 'fast-check'
import { textOfBase64, toBase64Url } from '../../domain/base64.ts'

const texts = fc.string({ unit: 'grapheme', maxLength: 200 }).map((text) => text.toWellFormed())

describe('base64', () => {
  test('is written as Node writes it, and read back', () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(toBase64Url(text)).toBe(Buffer.from(text).toString('base64url'))
        expect(textOfBase64(toBase64Url(text))).toBe(text)
        expect(textOfBase64(Buffer.from(text).toString('base64'))).toBe(text)
      }),
    )
  })

  test('keeps a byte order mark, and skips line breaks and a lone last character', () => {
    expect(textOfBase64(Buffer.from('\uFEFFhi').toString('base64'))).toBe('\uFEFFhi')
    expect(textOfBase64('aGVs\r\nbG8=\n')).toBe('hello')
    expect(textOfBase64('aGVsbG8gd')).toBe('hello ')
  })

  test('has no bound of length', () => {
    const long = 'é'.repeat(500_000)
    expect(textOfBase64(toBase64Url(long)) === long).toBe(true)
  })
})
