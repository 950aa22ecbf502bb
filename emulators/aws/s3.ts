import { createHash } from 'node:crypto'
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { AwsError, type AwsRequest, type AwsResponse, escapeXml, type Service } from './protocols.ts'

/** S3, path style: PUT, GET (ranges too), HEAD and DELETE of one object, DELETE of many, and lists. Keys become hashed file names, so none can leave its bucket. */
export function startObjects(options: { folder: string }): Service {
  return async (call) => {
    const [, bucket = '', encoded = ''] = /^\/([a-z0-9][a-z0-9.-]{2,62})\/?(.*)$/.exec(call.path) ?? []
    const folder = join(options.folder, bucket)
    if (bucket && !encoded && call.method === 'GET' && call.query.get('list-type') === '2')
      return list(folder, bucket, call)
    if (bucket && !encoded && call.method === 'POST' && call.query.has('delete')) return removeAll(folder, call)
    if (!encoded) throw new AwsError('NotImplemented', 'Only single objects and lists are served here.', 501)
    const key = decodeURIComponent(encoded)
    const file = join(folder, createHash('sha256').update(key).digest('hex'))
    switch (call.method) {
      case 'PUT':
        return put(folder, file, key, call)
      case 'GET':
      case 'HEAD':
        return get(file, call)
      case 'DELETE':
        remove(folder, key)
        return { status: 204, headers: {}, body: '' }
      default:
        throw new AwsError('MethodNotAllowed', 'The specified method is not allowed against this resource.', 405)
    }
  }
}

interface Facts {
  key: string
  type: string
  etag: string
  /** SHA-256 that came with it, base64. */
  sha256?: string
}

function put(folder: string, file: string, key: string, { body, headers }: AwsRequest): AwsResponse {
  if (String(headers['content-encoding'] ?? '').includes('aws-chunked'))
    throw new AwsError('NotImplemented', 'Chunked uploads are not served here; send the body whole.', 501)
  if (headers['if-none-match'] === '*' && existsSync(file))
    throw new AwsError('PreconditionFailed', 'At least one of the pre-conditions you specified did not hold', 412)
  const checksum = headers['x-amz-checksum-sha256']
  if (checksum && createHash('sha256').update(body).digest('base64') !== checksum)
    throw new AwsError('BadDigest', 'The SHA256 you specified did not match the calculated checksum.')
  mkdirSync(folder, { recursive: true })
  const etag = `"${createHash('md5').update(body).digest('hex')}"`
  const type = String(headers['content-type'] ?? 'application/octet-stream')
  const facts: Facts = { key, type, etag, ...(checksum && { sha256: String(checksum) }) }
  writeFileSync(`${file}.facts`, JSON.stringify(facts), { mode: 0o600 })
  writeFileSync(`${file}.tmp`, body, { mode: 0o600 })
  renameSync(`${file}.tmp`, file)
  return { status: 200, headers: { etag }, body: '' }
}

function get(file: string, { headers, query }: AwsRequest): AwsResponse {
  if (!existsSync(file)) throw new AwsError('NoSuchKey', 'The specified key does not exist.', 404)
  const { size, mtime } = statSync(file)
  const { type, etag, sha256 } = factsOf(file)
  const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '') ?? []
  const first = from ? Number(from) : 0
  const last = to ? Math.min(Number(to), size - 1) : size - 1
  if (from && first >= size) throw new AwsError('InvalidRange', 'The requested range is not satisfiable', 416)
  return {
    status: from ? 206 : 200,
    headers: {
      'content-type': query.get('response-content-type') ?? type,
      'last-modified': mtime.toUTCString(),
      ...(from && { 'content-range': `bytes ${first}-${last}/${size}` }),
      ...(query.has('response-content-disposition') && {
        'content-disposition': query.get('response-content-disposition') ?? '',
      }),
      ...(sha256 && headers['x-amz-checksum-mode'] === 'ENABLED' && { 'x-amz-checksum-sha256': sha256 }),
      etag,
    },
    body: bytes(file, first, last - first + 1),
  }
}

function bytes(file: string, from: number, length: number): Buffer {
  const opened = openSync(file, 'r')
  try {
    const buffer = Buffer.alloc(length)
    return buffer.subarray(0, readSync(opened, buffer, 0, length, from))
  } finally {
    closeSync(opened)
  }
}

function remove(folder: string, key: string): void {
  const file = join(folder, createHash('sha256').update(key).digest('hex'))
  rmSync(file, { force: true })
  rmSync(`${file}.facts`, { force: true })
}

/** DeleteObjects: at most a thousand keys; the body's checksum is asked for, as S3 does. */
function removeAll(folder: string, { body, headers }: AwsRequest): AwsResponse {
  const summed = Object.keys(headers).some((name) => name === 'content-md5' || name.startsWith('x-amz-checksum-'))
  if (!summed) throw new AwsError('InvalidRequest', 'Missing required header for this request: Content-MD5')
  const keys = [...body.toString('utf8').matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key = '']) => unescapeXml(key))
  if (keys.length === 0 || keys.length > 1000) throw new AwsError('MalformedXML', 'Name one to a thousand objects.')
  for (const key of keys) remove(folder, key)
  const answer = '<DeleteResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"></DeleteResult>'
  return { status: 200, headers: { 'content-type': 'application/xml' }, body: answer }
}

const entities: Record<string, string> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' }
const unescapeXml = (text: string): string =>
  text.replace(/&(?:(\w+)|#(\d+)|#x([0-9a-fA-F]+));/g, (whole, name, decimal, hex) =>
    name ? (entities[name] ?? whole) : String.fromCodePoint(decimal ? Number(decimal) : Number.parseInt(hex, 16)),
  )

const factsOf = (file: string): Facts => JSON.parse(readFileSync(`${file}.facts`, 'utf8'))

/** ListObjectsV2: keys in order, a thousand a page; the token is the last key of the page before. */
function list(folder: string, bucket: string, { query }: AwsRequest): AwsResponse {
  const prefix = query.get('prefix') ?? ''
  const after = query.get('continuation-token') ?? ''
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => /^[0-9a-f]{64}$/.test(name)) : []
  const all = names
    .map((name) => ({ key: factsOf(join(folder, name)).key, size: statSync(join(folder, name)).size }))
    .filter(({ key }) => key.startsWith(prefix) && key > after)
    .sort((a, b) => (a.key < b.key ? -1 : 1))
  const page = all.slice(0, 1000)
  const next = all.length > page.length ? (page.at(-1)?.key ?? '') : ''
  const body = [
    '<?xml version="1.0" encoding="UTF-8"?>\n<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">',
    `<Name>${escapeXml(bucket)}</Name><Prefix>${escapeXml(prefix)}</Prefix><KeyCount>${page.length}</KeyCount>`,
    `<MaxKeys>1000</MaxKeys><IsTruncated>${next !== ''}</IsTruncated>`,
    next && `<NextContinuationToken>${escapeXml(next)}</NextContinuationToken>`,
    ...page.map(({ key, size }) => `<Contents><Key>${escapeXml(key)}</Key><Size>${size}</Size></Contents>`),
    '</ListBucketResult>',
  ].join('')
  return { status: 200, headers: { 'content-type': 'application/xml' }, body }
}
