import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { tableEnv } from '../../adapters/dynamo/tables.ts'
import { commonVariables, registry, secrets, tablesOf } from '../../adapters/registry.ts'
import { portsOf } from '../../lambdas/kit/access.ts'
import { type Area, accessOf } from '../../lambdas/kit/area.ts'
import { root } from '../../lib/build/bundle.ts'

/** The variables that the template gives an area, each with some value; a table's value is its own name. */
export function environmentOf(area: Area, folder: string): NodeJS.ProcessEnv {
  const names = portsOf(accessOf(area)).flatMap(([port]) => {
    const need = registry[port]
    return [...(need.secrets ?? []).map((name) => secrets[name]), ...(need.variables ?? [])]
  })
  const tables = portsOf(accessOf(area)).flatMap(([port]) => tablesOf(port))
  return {
    PATH: process.env.PATH,
    AWS_REGION: 'us-east-1',
    LAMBDA_TASK_ROOT: folder,
    ...Object.fromEntries([...commonVariables, ...names].map((name) => [name, 'none'])),
    ...Object.fromEntries(tables.map((name) => [tableEnv(name), name])),
  }
}

interface ColdReply {
  statusCode: number
  body: string
}

/** A bundle's answers to events, one after another, in a process that has nothing else. */
export async function askCold(folder: string, env: NodeJS.ProcessEnv, events: object[]): Promise<ColdReply[]> {
  const code = `
    import { createRequire } from 'node:module'
    import { text } from 'node:stream/consumers'
    import { asStreaming, HttpResponseStream, isStreaming, ResponseStream } from ${JSON.stringify(join(root, 'local/functions/response-stream.ts'))}
    globalThis.awslambda = { streamifyResponse: asStreaming, HttpResponseStream }
    const { handler } = createRequire(import.meta.url)(${JSON.stringify(join(folder, 'index.js'))})
    const stream = async (event) => {
      const into = new ResponseStream()
      const [body] = await Promise.all([text(into), handler(event, into, {})])
      return { ...into.head, body }
    }
    const replies = []
    for (const event of ${JSON.stringify(events)})
      replies.push((await (isStreaming(handler) ? stream(event) : handler(event, {}))) ?? null)
    process.stdout.write('\\n' + JSON.stringify(replies))`
  const args = ['--input-type=module', '--disable-warning=ExperimentalWarning', '-e', code]
  const { stdout } = await promisify(execFile)(process.execPath, args, { env, timeout: 30_000 })
  return JSON.parse(stdout.slice(stdout.lastIndexOf('\n') + 1))
}

/** A request in API Gateway's shape. */
export const requestOf = (
  { method, path }: { method: string; path: string },
  headers: Record<string, string> = {},
  body: object | null = null,
) => ({
  httpMethod: method,
  resource: path,
  path,
  headers,
  pathParameters: {},
  queryStringParameters: {},
  body: body && JSON.stringify(body),
  isBase64Encoded: false,
  requestContext: { requestId: 'req_1', identity: { sourceIp: '192.0.2.1' } },
})
