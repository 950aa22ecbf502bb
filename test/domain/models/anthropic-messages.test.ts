import { expect, test } from '@jest/globals'
import { anthropicMessages } from '../../../domain/models/anthropic-messages.ts'

const report = (usage: object) => anthropicMessages.parseResponse({ type: 'message', content: [], usage }).usage

test('work of a provider next to the response is counted, although the provider’s totals omit it', () => {
  const aside = {
    input_tokens: 180_000,
    cache_read_input_tokens: 5,
    cache_creation_input_tokens: 7,
    output_tokens: 900,
  }
  const totals = { input_tokens: 10, output_tokens: 20, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 }
  const own = { ...totals, type: 'message' }
  expect(report({ ...totals, iterations: [own, { ...aside, type: 'compaction' }] })).toMatchObject({
    input: 180_010,
    cachedInput: 5,
    cacheWrite: 7,
    output: 920,
  })
  for (const iterations of [undefined, null, [own], [own, { ...own, type: 'fallback_message' }]])
    expect(report({ ...totals, iterations })).toMatchObject({ input: 10, output: 20 })
})
