import { gunzipSync } from 'node:zlib'
import { asDocument } from '../../../lambdas/kit/document.ts'
import type { HttpRequest } from '../../../lambdas/kit/request.ts'

const output = { openapi: '3.1.0', paths: { '/a': 'é'.repeat(5_000) } }
const ask = async (headers: Record<string, string>) => {
  const { status, headers: told, body } = asDocument({ headers } as HttpRequest, output) // safe because only its headers are read
  const parts: Buffer[] = []
  if (typeof body !== 'string') for await (const part of body as AsyncIterable<Buffer>) parts.push(part) // safe because it is a Readable
  return { status, told, bytes: typeof body === 'string' ? Buffer.from(body) : Buffer.concat(parts) }
}

describe('the API document', () => {
  test('is compressed for clients that accept it, and plain for others', async () => {
    const zipped = await ask({ 'accept-encoding': 'deflate, gzip;q=0.8, br' })
    expect(zipped.told).toMatchObject({ 'Content-Encoding': 'gzip', Vary: 'Accept-Encoding' })
    expect(zipped.bytes.length).toBeLessThan(500)
    expect(JSON.parse(gunzipSync(zipped.bytes).toString())).toEqual(output)
    for (const headers of [{}, { 'accept-encoding': 'br' }, { 'accept-encoding': 'gzip;q=0' }]) {
      const plain = await ask(headers as Record<string, string>)
      expect(plain.told).not.toHaveProperty('Content-Encoding')
      expect(JSON.parse(plain.bytes.toString())).toEqual(output)
    }
  })

  test('is not sent again to a client that has it', async () => {
    const etag = (await ask({})).told.ETag ?? ''
    for (const seen of [etag, `"x", ${etag}`, etag.slice(2), '*']) {
      const { status, bytes, told } = await ask({ 'if-none-match': seen })
      expect([status, bytes.length, told.ETag]).toEqual([304, 0, etag])
    }
    expect((await ask({ 'if-none-match': '"x"' })).status).toBe(200)
  })
})
