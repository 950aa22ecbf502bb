import { randomBytes } from 'node:crypto'
import { bytesOf, namesOf, textOf } from '../../../agent/volume/names.ts'

describe('file names', () => {
  it('with any bytes are written and read back', () => {
    expect(textOf(Buffer.from([0x66, 0xff, 0x5c, 0xc3, 0xa9]))).toBe('f\\xff\\\\é')
    for (let i = 0; i < 2_000; i++) {
      const bytes = randomBytes(1 + (i % 40)).map((byte) =>
        byte === 0 || byte === 0x2f || byte === 0x2e ? 0x61 : byte,
      )
      expect(bytesOf(textOf(Buffer.from(bytes)))).toEqual(Buffer.from(bytes))
    }
  })

  it.each(['..', 'a/../b', '/etc', 'a//b', './a', '\\x2e\\x2e', 'a/\\x2e./b', 'a\\x2fb', 'a\\x00', 'x'.repeat(256)])(
    'such as %s lead nowhere',
    (path) => expect(() => namesOf(path)).toThrow(/does not lead into/),
  )
})
