import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AwsError, type Call, type Reply, type Service } from './wire.ts'

/** S3, path style: PUT, GET, HEAD and DELETE of one object. Keys become hashed file names, so none can leave its bucket. */
export function startObjects(options: { folder: string }): Service {
  return async (call) => {
    const [, bucket = '', key = ''] = /^\/([a-z0-9][a-z0-9.-]{2,62})\/(.+)$/.exec(call.path) ?? []
    if (!key) throw new AwsError('NotImplemented', 'Only single objects are served here.', 501)
    const folder = join(options.folder, bucket)
    const file = join(folder, createHash('sha256').update(decodeURIComponent(key)).digest('hex'))
    switch (call.method) {
      case 'PUT':
        return put(folder, file, call)
      case 'GET':
      case 'HEAD':
        return get(file)
      case 'DELETE':
        rmSync(file, { force: true })
        rmSync(`${file}.type`, { force: true })
        return { status: 204, headers: {}, body: '' }
      default:
        throw new AwsError('MethodNotAllowed', 'The specified method is not allowed against this resource.', 405)
    }
  }
}

function put(folder: string, file: string, { body, headers }: Call): Reply {
  if (String(headers['content-encoding'] ?? '').includes('aws-chunked'))
    throw new AwsError('NotImplemented', 'Chunked uploads are not served here; send the body whole.', 501)
  if (headers['if-none-match'] === '*' && existsSync(file))
    throw new AwsError('PreconditionFailed', 'At least one of the pre-conditions you specified did not hold', 412)
  mkdirSync(folder, { recursive: true })
  writeFileSync(`${file}.type`, String(headers['content-type'] ?? 'application/octet-stream'), { mode: 0o600 })
  writeFileSync(`${file}.tmp`, body, { mode: 0o600 })
  renameSync(`${file}.tmp`, file)
  return { status: 200, headers: { etag: etag(body) }, body: '' }
}

function get(file: string): Reply {
  if (!existsSync(file)) throw new AwsError('NoSuchKey', 'The specified key does not exist.', 404)
  const body = readFileSync(file)
  return {
    status: 200,
    headers: {
      'content-type': readFileSync(`${file}.type`, 'utf8'),
      'last-modified': statSync(file).mtime.toUTCString(),
      etag: etag(body),
    },
    body,
  }
}

const etag = (body: Buffer) => `"${createHash('md5').update(body).digest('hex')}"`
