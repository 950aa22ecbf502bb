import * as z from 'zod'
import { type CataloguePersona, defaultPersona } from '../catalogue/persona.ts'

/** `sha256` and `size` (bytes) are those of the text in UTF-8. */
const agentFile = z
  .object({
    path: z.string().meta({ example: 'persona/SOUL.md', description: 'Relative, with forward slashes.' }),
    sha256: z.string(),
    size: z.int(),
    text: z.string(),
  })
  .meta({ id: 'AgentFile' })

export type AgentFile = z.infer<typeof agentFile>

const agentConfig = z
  .object({ instanceId: z.string(), model: z.string(), persona: z.string() })
  .meta({ id: 'AgentConfig' })

/** A machine's whole configuration, named by one hash; only the hash while nothing changed. */
export const agentFilesAnswer = z.object({
  etag: z.string(),
  unchanged: z.boolean(),
  config: agentConfig.optional(),
  files: z.array(agentFile).optional(),
  variables: z
    .record(z.string(), z.string())
    .optional()
    .meta({ description: 'The user’s variables for the agent’s environment.' }),
})
export type AgentFilesAnswer = z.infer<typeof agentFilesAnswer>
export type AgentFiles = Required<Omit<AgentFilesAnswer, 'unchanged'>>

export const activePersona = (personas: CataloguePersona[], id: string): CataloguePersona | undefined =>
  personas.find((persona) => persona.id === id) ?? personas.find((persona) => persona.id === defaultPersona)

/** True when an If-None-Match header contains this hash, quoted, weak or bare. */
export const matches = (header: string | undefined, etag: string): boolean =>
  (header ?? '').split(',').some((tag) => tag.trim().replace(/^W\//, '').replaceAll('"', '') === etag)
