import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import fc from 'fast-check'
import { Mask } from '../../../agent/secrets/masking.ts'
import { seeded } from '../../counts.ts'

const secret = 'ghp_abcABC123/+='
const mask = new Mask([secret], '[secret]')

async function masked(bytes: Buffer, sizes: number[]): Promise<Buffer> {
  const parts: Buffer[] = []
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const size = sizes[i % sizes.length] ?? 1
    parts.push(bytes.subarray(at, at + size))
    at += size
  }
  return buffer(Readable.from(parts).pipe(mask.stream()))
}

const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 6 })

describe('the mask of a secret', () => {
  test('passes all other bytes unchanged, however they are split', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 400 }), sizes, async (bytes, cuts) => {
        expect(await masked(Buffer.from(bytes), cuts)).toEqual(Buffer.from(bytes))
      }),
      seeded(2_000, 100),
    )
  })

  test('finds the secret between any bytes and however they are split, also after a false start', async () => {
    const around = fc.string({ maxLength: 60 })
    const start = fc.nat({ max: secret.length - 1 }).map((length) => secret.slice(0, length))
    await fc.assert(
      fc.asyncProperty(around, start, around, sizes, async (before, begun, after, cuts) => {
        const bytes = Buffer.from(`${before}${begun}${secret}${after}`)
        const text = (await masked(bytes, cuts)).toString()
        expect(text).toBe(`${before}${begun}[secret]${after}`)
      }),
      seeded(2_000, 100),
    )
  })

  test('finds the secret in base64 of any text around it', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ maxLength: 20 }),
        fc.string({ maxLength: 20 }),
        sizes,
        async (before, after, cuts) => {
          const echo = Buffer.from(`${before}${secret}${after}`).toString('base64')
          const text = (await masked(Buffer.from(echo), cuts)).toString()
          expect(text).toContain('[secret]')
          expect(Buffer.from(text.replace('[secret]', ''), 'base64').toString('latin1')).not.toContain(
            secret.slice(2, -2),
          )
        },
      ),
      seeded(2_000, 100),
    )
  })

  test('holds back no bytes that cannot become the secret', () => {
    const stream = mask.stream()
    stream.write('data: a piece of text\n\n')
    expect(String(stream.read())).toBe('data: a piece of text\n\n')
    stream.write('data: ghp_')
    expect(String(stream.read())).toBe('data: ')
  })
})
