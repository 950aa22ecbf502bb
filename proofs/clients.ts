/**
 * Third-party programs, installed as they are published today and driven by script. Each part writes its results to its
 * section of docs/works-with.md; `npm run prove clients:mcp` runs a single part. `clients:models:pi` tries one program
 * and writes nothing.
 */
import type { Seen } from './clients/works-with.ts'

/** Loaded on demand: each starts a service of its own. */
const parts: Record<string, (only?: string) => Promise<Seen[]>> = {
  models: async (only) => (await import('./clients/models.ts')).proveModels(only),
  openai: async () => (await import('./clients/openai.ts')).proveOpenAi(),
  connect: async (only) => (await import('./clients/connect.ts')).proveConnect(only),
  mcp: async (only) => (await import('./clients/mcp.ts')).proveMcp(only),
}
const [, , part, only] = process.argv
const wanted = part === undefined ? Object.values(parts) : [parts[part]]

let failed = 0
for (const prove of wanted) {
  if (!prove) throw new Error(`There is no part ${part}. There are: ${Object.keys(parts).join(', ')}`)
  const seen = await prove(only)
  const holding = seen.filter(({ holds }) => holds).length
  failed += seen.length - holding
  console.log(`${holding} of ${seen.length} hold`)
}
process.exit(failed > 0 ? 1 : 0)
