import { createHash, createHmac } from 'node:crypto'

export interface Credentials {
  accessKeyId: string
  secretAccessKey: string
  sessionToken?: string | undefined
}

export interface Unsigned {
  method: string
  url: URL
  /** Header names in lower case; `host` is added. */
  headers: Readonly<Record<string, string>>
  body: string
}

/** The headers of a request to AWS with its Signature Version 4. Paths are taken as they are: no service here has odd ones. */
export function signed(
  { method, url, headers, body }: Unsigned,
  { accessKeyId, secretAccessKey, sessionToken }: Credentials,
  region: string,
  service: string,
  now: Date,
): Record<string, string> {
  const at = now.toISOString().replace(/[-:]|\.\d{3}/g, '')
  const day = at.slice(0, 8)
  const all: Record<string, string> = {
    ...headers,
    host: url.host,
    'x-amz-date': at,
    ...(sessionToken && { 'x-amz-security-token': sessionToken }),
  }
  const names = Object.keys(all).sort()
  const list = names.join(';')
  const canonical = [
    method,
    url.pathname.split('/').map(uriEscaped).join('/'),
    [...url.searchParams]
      .map(([name, value]) => `${uriEscaped(name)}=${uriEscaped(value)}`)
      .sort()
      .join('&'),
    ...names.map((name) => `${name}:${(all[name] ?? '').trim().replace(/ +/g, ' ')}`),
    '',
    list,
    sha256(body),
  ].join('\n')
  const scope = `${day}/${region}/${service}/aws4_request`
  const key = [day, region, service, 'aws4_request'].reduce<string | Buffer>(hmac, `AWS4${secretAccessKey}`)
  const signature = hmac(key, `AWS4-HMAC-SHA256\n${at}\n${scope}\n${sha256(canonical)}`).toString('hex')
  const { host: _, ...sent } = all
  const authorization = `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope}, SignedHeaders=${list}, Signature=${signature}`
  return { ...sent, authorization }
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest()

/** RFC 3986 escaping: what encodeURIComponent leaves, without the five marks AWS also escapes. */
const uriEscaped = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`)
