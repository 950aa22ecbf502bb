import {
  ProviderRefusal,
  type RefusedStatus,
  readRefusal,
  refusalTypesByStatus,
} from '../../../domain/models/provider-refusal.ts'

const statuses = Object.keys(refusalTypesByStatus).map((status) => Number(status) as RefusedStatus) // safe because these are its keys
const words = [
  'This model’s maximum context length is 8192 tokens',
  'image exceeds 5 MB maximum',
  'content_policy_violation',
  'unknown_parameter',
  'unsupported value',
  'Rate limit reached for requests',
  'anything else',
]

test.each(statuses)('a provider’s %s is recognised by exactly its listed error types', (status) => {
  const refusals = words.map((message) => readRefusal(status, JSON.stringify({ error: { message } }), [], null))
  const types = refusals.flatMap((refusal) => (refusal instanceof ProviderRefusal ? refusal.type : []))
  expect([...new Set(types)].sort()).toEqual([...refusalTypesByStatus[status]].sort())
})
