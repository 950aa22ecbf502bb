import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { logs } from '../../../adapters/aws/logs.ts'
import type { LogLine } from '../../../domain/instance/logs.ts'
import { env } from '../../cloud.ts'

type Line = { timestamp: number; message: string }

/** Lines by stream, and the largest page of any stream. */
let streams: Record<string, Line[]> = {}
let pageSize = 10_000
const asked: string[] = []

/** Behaves as GetLogEvents is documented: at the end of a stream, it returns the token of the request. */
const server = createServer(async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(Buffer.from(chunk))
  const { logStreamName, startTime, limit, nextToken = '0' } = JSON.parse(Buffer.concat(chunks).toString())
  asked.push(`${request.headers['x-amz-target']}`.split('.')[1] ?? '')
  const stream = streams[logStreamName]
  const missing = { __type: 'ResourceNotFoundException', message: 'The specified log stream does not exist.' }
  const from = Number(nextToken)
  const events = stream?.filter(({ timestamp }) => timestamp >= startTime).slice(from, from + Math.min(limit, pageSize))
  const body = events ? { events, nextForwardToken: String(from + events.length) } : missing
  response.writeHead(events ? 200 : 400, { 'content-type': 'application/x-amz-json-1.1' }).end(JSON.stringify(body))
})

beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}` // safe because the server listens on a port
  Object.assign(process.env, {
    AWS_ENDPOINT_URL_CLOUDWATCH_LOGS: url,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
  })
})
afterAll(async () => {
  server.closeAllConnections()
  server.close()
  await once(server, 'close')
})
beforeEach(() => {
  pageSize = 10_000
  asked.length = 0
})

const port = logs(env)
const lines = (name: string, ...times: number[]): Line[] =>
  times.map((timestamp, index) => ({ timestamp, message: `${name}${index}` }))

async function readAll(limit: number, tasks = ['new', 'old']): Promise<string[]> {
  const all: LogLine[] = []
  let cursor: string | null = null
  do {
    const page: Awaited<ReturnType<typeof port.read>> = await port.read({ id: 'ins_1' }, tasks, {
      sinceMs: 5,
      limit,
      cursor,
    })
    all.push(...page.lines)
    cursor = page.next
  } while (cursor !== null)
  return all.map(({ message }) => message)
}

describe('the log of a machine', () => {
  const whole = ['o1', 's0', 'r0', 'r1', 's1', 'r2']
  beforeEach(() => {
    streams = {
      'ins_1/supervisor/old': lines('o', 1, 5),
      'ins_1/supervisor/new': lines('s', 10, 20),
      'ins_1/runtime/new': lines('r', 10, 10, 30),
      'ins_2/runtime/new': lines('theirs', 10),
    }
  })

  it.each([1, 2, 3, 6, 100])('has each line of its streams once, in order of time, in pages of %d', async (limit) => {
    expect(await readAll(limit)).toEqual(whole)
    expect(new Set(asked)).toEqual(new Set(['GetLogEvents']))
  })

  it('continues when CloudWatch returns pages that are smaller than requested', async () => {
    pageSize = 1
    expect(await readAll(100)).toEqual(whole)
    streams['ins_1/runtime/new'] = lines('r', ...Array.from({ length: 40 }, (_, index) => 10 + index))
    expect(await readAll(100, ['new'])).toHaveLength(42)
  })

  it('is empty for a machine that has not written, and refuses a cursor of another kind', async () => {
    expect(await readAll(10, ['starting'])).toEqual([])
    const read = (text: string) =>
      port.read({ id: 'ins_1' }, ['new'], { sinceMs: 0, limit: 1, cursor: Buffer.from(text).toString('base64url') })
    await expect(read('next')).rejects.toMatchObject({ code: 'validation' })
    await expect(read('{"at":0,"shown":1000000}')).rejects.toMatchObject({ code: 'validation' })
  })
})
