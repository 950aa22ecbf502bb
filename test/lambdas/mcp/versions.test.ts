import { newestRevision, sessionRevisions } from '../../../lambdas/mcp/protocol.ts'
import { type McpWorld, openMcpWorld } from './mcp-world.ts'

let world: McpWorld
let bearer: string
beforeAll(async () => {
  world = await openMcpWorld()
  bearer = (await world.tenant()).bearer
})
afterAll(() => world.close())

const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2030-01-01',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

const all = [newestRevision, ...sessionRevisions]

describe('an unknown protocol version', () => {
  test.each<[string, string, object | null, string[]]>([
    ['in a GET', 'GET', null, all],
    ['in a DELETE', 'DELETE', null, all],
    ['in the header of a POST', 'POST', {}, all],
    // The older revisions have no envelope, and `server/discover` omits them too.
    ['in the envelope of a POST', 'POST', { params: { _meta: envelope } }, [newestRevision]],
  ])('%s is rejected with the versions served there', async (_, method, more, served) => {
    const answer = await fetch(`${world.url}/mcp`, {
      method,
      headers: {
        authorization: `Bearer ${bearer}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2030-01-01',
        'mcp-method': 'tools/list',
      },
      ...(more && { body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', ...more }) }),
    })
    expect(answer.status).toBe(400)
    const text = await answer.text()
    for (const version of served) expect(text).toContain(version)
  })
})
