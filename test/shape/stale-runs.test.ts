import { expect, test } from '@jest/globals'
import { quotes } from '../../proofs/kit/quotes.ts'
import { staleRuns } from '../../proofs/kit/stale.ts'

test('no document quotes a run whose inputs have changed since', async () => {
  const quoted = [...new Set(quotes().map(({ name }) => name))]
  expect(await staleRuns(quoted)).toEqual([])
})
