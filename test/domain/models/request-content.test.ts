import { describe, expect, test } from '@jest/globals'
import { RequestContent } from '../../../domain/models/request-content.ts'

const read = (body: object) => new RequestContent({ ...body }, [])
const problem = (body: object) => {
  try {
    read(body)
    return null
  } catch (error) {
    return Object.keys((error as { details: object }).details).join()
  }
}
const png = `data:image/png;base64,${'A'.repeat(50)}`

describe('a part that is sent on unchanged', () => {
  const schema = { $schema: 'http://json-schema.org/draft-07/schema#', properties: { file_id: { type: 'string' } } }

  test.each<[string, object]>([
    ['an unknown field', { thing: { more: [1, 'x', { deep: true }] }, betas: ['a-2027-01-01'] }],
    ['URLs and ids in a text', { messages: [{ role: 'user', content: 'See https://x.test and file_abc123.' }] }],
    ['a text that is a URL', { messages: [{ role: 'user', content: 'https://x.test' }], system: 'file-abc123' }],
    ['a tool’s schema', { tools: [{ name: 'a', input_schema: schema }, { function: { parameters: schema } }] }],
    [
      'a tool’s result',
      { messages: [{ content: [{ type: 'tool_use', input: { file_id: 'file_1', url: 'https://x' } }] }] },
    ],
    [
      'quotations of an earlier answer',
      { input: [{ content: [{ type: 'output_text', text: 'x', annotations: [{ url: 'https://x.test' }] }] }] },
    ],
    [
      'an earlier search',
      { input: [{ type: 'web_search_call', action: { type: 'open_page', url: 'https://x.test' } }] },
    ],
    [
      'a tool that the caller runs',
      {
        tools: [
          { type: 'bash_20250124', name: 'bash' },
          { type: 'namespace', tools: [{ type: 'function' }] },
        ],
      },
    ],
    [
      'a client’s description of itself',
      { client_metadata: { session_id: '0199aa5e-7c00-7e30-8f00-1234567890ab', turn: '{"url":"https://x"}' } },
    ],
    [
      'the clearing of a context without a model',
      { context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] } },
    ],
    ['a summary from an earlier response', { messages: [{ content: [{ type: 'compaction', content: 'x' }] }] }],
    ['options that are switched off', { background: false, mcp_servers: [], conversation: null, service_tier: 'auto' }],
    ['options with underscores', { prompt_cache_retention: '24h', mode: 'file_search', kind: 'run_all' }],
  ])('%s', (_, body) => {
    expect(problem(body)).toBeNull()
  })
})

describe('a part that is rejected by name', () => {
  test.each<[string, object]>([
    ['a', { a: 'resp_68af4030592c81938ec0a5fbab4a3e9f' }],
    ['a.b.0.c', { a: { b: [{ c: 'file-6F2ksmvXxt4VdoqmHRw6kL' }] } }],
    ['a', { a: 'vs_1' }],
    ['a', { a: 'cachedContents/abcdefghijklmnop' }],
    ['tools.0.any', { tools: [{ type: 'x', any: 'container_0199' }] }],
    ['a', { a: 'https://x.test/' }],
    ['a', { a: ' HTTPS://x.test/' }],
    ['a', { a: '//x.test/' }],
    ['a', { a: 's3://bucket/key' }],
    ['input.0.environment.container_id', { input: [{ type: 'shell_call', environment: { container_id: 'cntr_1' } }] }],
    ['input.0.type', { input: [{ type: 'item_reference', id: 'msg_1' }] }],
    ['tools.0.type', { tools: [{ type: 'web_search_20250305' }] }],
    ['tools.0.type', { tools: [{ type: 'web_search_preview_2025_03_11' }] }],
    ['tools.0.tools.0.type', { tools: [{ type: 'namespace', tools: [{ type: 'code_interpreter' }] }] }],
    ['tools.0.environment.type', { tools: [{ type: 'shell', environment: { type: 'container_auto' } }] }],
    ['tools.0.type', { tools: [{ type: 'advisor_20260301', name: 'advisor', model: 'claude-opus-4-8' }] }],
    ['tools.0.type', { tools: [{ type: 'openrouter:web_search' }] }],
    ['context_management.edits.0.type', { context_management: { edits: [{ type: 'compact_20260112' }] } }],
    ['compaction', { compaction: { type: 'summarize' } }],
    ['fallbacks', { fallbacks: 'default' }],
    ['models', { models: ['a/b'] }],
    ['modalities', { modalities: ['text', 'audio'] }],
    ['a.0.type', { a: [{ type: 'input_audio' }] }],
    ['a', { a: 'data:video/mp4;base64,AA' }],
    ['a', { a: JSON.parse('['.repeat(100) + ']'.repeat(100)) }],
  ])('%s', (field, body) => {
    expect(problem(body)).toBe(field)
  })
})

test('media are counted in every place and are not text', () => {
  const source = { type: 'base64', media_type: 'image/png', data: 'A'.repeat(10) }
  const { images, imageBytes, files } = read({
    new_field: { picture: png },
    messages: [
      {
        content: [
          { type: 'image', source },
          { type: 'document', source: { ...source, media_type: 'application/pdf' } },
        ],
      },
    ],
  })
  expect({ images, imageBytes, files }).toEqual({ images: 2, imageBytes: png.length + 10, files: 1 })
})

test('a prefix cached for an hour is recognised in every place', () => {
  const cache_control = { type: 'ephemeral', ttl: '1h' }
  expect(read({ cache_control: { type: 'ephemeral' } }).hourCache).toBe(false)
  expect(read({ system: [{ type: 'text', text: 'x', cache_control }] }).hourCache).toBe(true)
  expect(read({ messages: [{ content: [{ type: 'tool_use', input: {}, cache_control }] }] }).hourCache).toBe(true)
  expect(read({ cache_control }).hourCache).toBe(true)
})

describe('nesting', () => {
  const nested = (depth: number): object => (depth === 1 ? {} : { items: nested(depth - 1) })

  test.each([
    ['a field', { thing: nested(70) }, 'thing'],
    ['a tool’s schema', { tools: [{ function: { parameters: nested(600) } }] }, 'tools.0.function.parameters'],
    ['a tool’s arguments', { messages: [{ type: 'tool_use', input: nested(600) }] }, 'messages.0.input'],
  ])('of %s is limited, so that nothing overflows', (_, body, field) => {
    expect(problem(body)).toBe(field)
  })

  test('in a schema may be deep', () => {
    expect(problem({ tools: [{ input_schema: nested(400) }] })).toBeNull()
  })
})
