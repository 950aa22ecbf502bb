import { area } from '../kit/area.ts'
import { countLargeTokens } from '../llm/count-large-tokens.ts'
import { createLargeEmbeddings } from '../llm/create-large-embeddings.ts'
import { proxyLargeModelCall } from '../llm/proxy-large-model-call.ts'

const operations = [proxyLargeModelCall, createLargeEmbeddings, countLargeTokens]

/** A function apart from `llm`: memory for the largest body would triple the price of every call. */
export const llmLargeArea = area({
  name: 'llm-large',
  about: 'Model calls of your agent’s machine whose body was uploaded before.',
  operations,
  folders: { llm: operations },
  stream: true,
  timeoutSeconds: 900,
  memoryMiB: 1024,
})
