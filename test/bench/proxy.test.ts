import { once } from 'node:events'
import { call } from '../../bench/proxy/client.ts'
import { startPipeline, startUpstream, type Target } from '../../bench/proxy/targets.ts'

const targets: Target[] = []
afterAll(async () => {
  // A pipeline ends its store first; the upstream knows nothing of its parent.
  for (const { child, name } of targets) name === 'direct' ? child.kill() : child.disconnect()
  await Promise.all(targets.map(({ child }) => once(child, 'exit')))
})

/** Starts the programs of the benchmark in the same way as the benchmark. */
async function startBoth(store: 'stub' | 'real'): Promise<Target> {
  const upstream = await startUpstream()
  targets.push(upstream)
  const pipeline = await startPipeline(`http://127.0.0.1:${upstream.port}`, store)
  targets.push(pipeline)
  return pipeline
}

describe('npm run bench', () => {
  it.each(['stub', 'real'] as const)(
    'gets an answer and a stream through the pipeline over its %s store',
    async (store) => {
      const pipeline = await startBoth(store)
      expect(JSON.parse((await call(pipeline)).bytes.toString())).toMatchObject({ object: 'chat.completion' })
      const streamed = await call(pipeline, { stream: true, seed: 3_000 })
      expect(streamed.bytes.toString()).toMatch(/word2[\s\S]*\[DONE]/)
    },
  )
})
