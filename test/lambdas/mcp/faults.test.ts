import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { mcp } from '../../../adapters/mcp/mcp.ts'
import { toolSchemas } from '../../../app/mcp/json-schema.ts'
import type { ServerFeatures, Tool } from '../../../app/ports/mcp.ts'
import { conflict } from '../../../domain/errors.ts'
import { env } from '../../cloud.ts'
import { fixtureTools } from './fixtures.ts'

const secret = 'connect ECONNREFUSED arn:aws:dynamodb:us-east-1:000000000000:table/wallets'
const broken = async () => {
  throw new TypeError(secret)
}

const folder = mkdtempSync(join(tmpdir(), 'berth-tools-'))
writeFileSync(join(folder, 'tools.json'), JSON.stringify(toolSchemas(fixtureTools)))
afterAll(() => rmSync(folder, { recursive: true }))

/** The adapter's response about a surface, and the failures it logs. */
async function ask(
  method: string,
  params: object,
  given: Partial<ServerFeatures> = {},
  file = join(folder, 'tools.json'),
) {
  const failed: unknown[] = []
  const surface: ServerFeatures = {
    nameStyle: 'dots',
    tools: fixtureTools,
    resources: async () => [],
    templates: [],
    prompts: [],
    changes: async function* () {},
    reportError: (error) => failed.push(error),
    ...given,
  }
  const request = new Request('https://berth.invalid/mcp', {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const answer = await mcp({ ...env, file: () => file }).handle(request, surface, { json: true, events: true })
  const text = await answer.text()
  return { status: answer.status, text, message: JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text), failed }
}

const first = fixtureTools[0] as Tool // safe because there are two
const resource = { uri: 'berth://wallet', name: 'wallet', title: 'Wallet', description: 'A wallet.' }

describe('an internal failure', () => {
  test.each<[string, string, object, Partial<ServerFeatures>]>([
    ['in a tool', 'tools/call', { name: first.name, arguments: {} }, { tools: [{ ...first, call: broken }] }],
    ['in the list of resources', 'resources/list', {}, { resources: broken }],
    [
      'in a resource',
      'resources/read',
      { uri: resource.uri },
      { resources: async () => [{ ...resource, read: broken }] },
    ],
  ])('%s is logged, and its caller learns nothing about it', async (_, method, params, given) => {
    const { text, message, failed } = await ask(method, params, given)
    expect(message.error).toEqual({ code: -32603, message: 'Something failed on our side. Try once more.' })
    expect(text).not.toContain('ECONNREFUSED')
    expect(failed).toEqual([expect.objectContaining({ message: secret })])
  })

  test('from a missing list of schemas is logged too', async () => {
    const { text, message, failed } = await ask('tools/list', {}, {}, '/nowhere/tools.json')
    expect(message.error).toMatchObject({ code: -32603 })
    expect(text).not.toContain('nowhere')
    expect(failed).toHaveLength(1)
  })
})

describe('an invalid request', () => {
  test.each<[string, string, object]>([
    ['an address that is a number', 'resources/read', { uri: 1 }],
    ['a cursor that is a number', 'tools/list', { cursor: 1 }],
    ['arguments of a prompt that are not texts', 'prompts/get', { name: 'x', arguments: { a: 1 } }],
    ['a revision that is a number', 'initialize', { protocolVersion: 1 }],
    ['arguments of a tool that are a list', 'tools/call', { name: first.name, arguments: [] }],
    ['a missing name', 'tools/call', {}],
  ])('with %s is rejected and not logged as a failure', async (_, method, params) => {
    const { status, message, failed } = await ask(method, params)
    expect([status, message.error]).toEqual([
      200,
      expect.objectContaining({ code: -32602, message: expect.stringContaining(`Invalid ${method} request`) }),
    ])
    expect(failed).toEqual([])
  })

  test('to read a resource returns the domain error', async () => {
    const read = async () => {
      throw conflict('Not now.')
    }
    const given = { resources: async () => [{ ...resource, read }] }
    const { message, failed } = await ask('resources/read', { uri: resource.uri }, given)
    expect(message.error).toEqual({ code: -32602, message: 'Not now.', data: { error: 'conflict' } })
    expect(failed).toEqual([])
  })
})
