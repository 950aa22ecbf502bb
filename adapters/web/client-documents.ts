import type { IncomingMessage } from 'node:http'
import type { ClientDocuments } from '../../app/ports/oauth.ts'
import type { Env } from '../env.ts'
import { requestPublic } from './public-request.ts'

/** Limits of a document: bytes, ms until the connection, and ms from the look-up to the last byte. */
const most = { bytes: 10 * 1024, connectMs: 5_000, wholeMs: 5_000 }

const getDocument = (url: URL): Promise<IncomingMessage> =>
  requestPublic(url, { method: 'GET', headers: { accept: 'application/json' } }, most)

/** @throws the reason for a refusal */
export async function readDocument(address: string, fetchPage = getDocument): Promise<unknown> {
  const response = await fetchPage(new URL(address))
  try {
    const type = response.headers['content-type'] ?? ''
    if (response.statusCode !== 200 || !/^application\/([\w.-]+\+)?json\b/i.test(type))
      throw new Error('no JSON document')
    const parts: Buffer[] = []
    let bytes = 0
    for await (const part of response) {
      bytes += part.length
      if (bytes > most.bytes) throw new Error('too long')
      parts.push(part)
    }
    return JSON.parse(Buffer.concat(parts).toString('utf8'))
  } finally {
    response.destroy()
  }
}

export const clientDocuments = (_env: Env): ClientDocuments => ({
  read: (address) => readDocument(address).catch(() => null),
})
