import { createHash, createHmac } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

/** The secret of the keys that `awsEmulator` hands out: it opens nothing, but what is signed with it can be checked. */
export const secretAccessKey = 'local'

/** Whether a presigned URL (SigV4) is unchanged and has not expired: method, path, query and signed headers. */
export function isValidPresignedUrl(request: IncomingMessage, url: URL): boolean {
  const { searchParams: query } = url
  const [, date, region, service] = (query.get('X-Amz-Credential') ?? '').split('/')
  const at = query.get('X-Amz-Date') ?? ''
  if (!date || !region || service !== 's3' || expired(at, Number(query.get('X-Amz-Expires')))) return false
  const names = (query.get('X-Amz-SignedHeaders') ?? '').split(';')
  const canonical = [
    request.method ?? 'GET',
    url.pathname,
    canonicalQuery(query),
    ...names.map((name) => `${name}:${[request.headers[name] ?? ''].flat().join(',').trim()}`),
    '',
    names.join(';'),
    'UNSIGNED-PAYLOAD',
  ].join('\n')
  const scope = `${date}/${region}/s3/aws4_request`
  const text = ['AWS4-HMAC-SHA256', at, scope, createHash('sha256').update(canonical).digest('hex')].join('\n')
  const key = [date, region, 's3', 'aws4_request'].reduce<string | Buffer>(
    (key, part) => createHmac('sha256', key).update(part).digest(),
    `AWS4${secretAccessKey}`,
  )
  return createHmac('sha256', key).update(text).digest('hex') === query.get('X-Amz-Signature')
}

const canonicalQuery = (query: URLSearchParams): string =>
  [...query]
    .filter(([name]) => name !== 'X-Amz-Signature')
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .sort()
    .join('&')

const encode = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)

function expired(date: string, seconds: number): boolean {
  const [, year, month, day, hour, minute, second] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(date) ?? []
  const at = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
  return !(at + seconds * 1000 > Date.now())
}
