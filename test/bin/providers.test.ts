import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'

const root = join(import.meta.dirname, '../..')

/** The exit status and the printed text. */
const check = (secret: string): Promise<[number, string]> =>
  new Promise((resolve) => {
    const child = execFile(process.execPath, [join(root, 'bin/providers.ts')], (error, printed) =>
      resolve([error ? 1 : 0, printed]),
    )
    child.stdin?.end(secret)
  })

const proxyDoc = readFileSync(join(root, 'docs/proxy.md'), 'utf8')
const examples = [...proxyDoc.matchAll(/```json\n([\s\S]*?)```/g)].map(([, text = '']) => text)

test('the provider check offers the examples of the document unchanged', async () => {
  expect(examples).toHaveLength(3)
  const all = Object.assign({}, ...examples.map((text) => JSON.parse(text)))
  const [status, printed] = await check(JSON.stringify(all))
  expect([status, printed.trim().split('\n')]).toEqual([
    0,
    [
      'ollama/llama3.2:3b: input 0, output 0',
      'ollama/nomic-embed-text: input 0, output 0',
      'vllm/Qwen/Qwen3-32B: input 100000, output 300000',
      'lmstudio/google/gemma-3-12b: input 0, output 0',
    ],
  ])
})

test('the provider check reports a wrong secret before it is stored', async () => {
  const own = { kind: 'openai', baseUrl: 'http://x.test/v1', models: [{ id: 'm' }, { id: 'n', prices: { input: 0 } }] }
  expect(await check(JSON.stringify({ own }))).toEqual([
    1,
    'own.models.0 (m has no price: give prices above zero, or "free": true)\n' +
      'own.models.1 (n has no price: give prices above zero, or "free": true)\n',
  ])
  const [status, printed] = await check(JSON.stringify({ own: { ...own, kind: 'ollama' } }))
  expect([status, printed]).toEqual([1, expect.stringContaining('own.kind (')])
  expect(await check('{')).toEqual([1, 'the whole (this is not JSON)\n'])
})
