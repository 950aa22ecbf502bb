import * as z from 'zod'
import { type CataloguePersona, defaultPersona } from '../catalogue/persona.ts'
import type { CatalogueSkill } from '../catalogue/skill.ts'
import type { Instance } from '../instance/instance.ts'

/** One file of a machine's configuration; `sha256` and `size` (bytes) are those of its text in UTF-8. */
export const agentFile = z
  .object({
    path: z.string().meta({ example: 'persona/SOUL.md', description: 'Relative, with forward slashes.' }),
    sha256: z.string(),
    size: z.int(),
    text: z.string(),
  })
  .meta({ id: 'AgentFile' })
export type AgentFile = z.infer<typeof agentFile>

export const agentConfig = z
  .object({ instanceId: z.string(), model: z.string(), persona: z.string() })
  .meta({ id: 'AgentConfig' })

/** Everything a machine keeps in its configuration folder, named by one hash. */
export const agentFiles = z.object({
  etag: z.string(),
  config: agentConfig,
  files: z.array(agentFile),
  /** The user's environment variables, by name. */
  variables: z.record(z.string(), z.string()),
})
export type AgentFiles = z.infer<typeof agentFiles>

/** The persona an instance has on: its own choice, or the default one when that is no longer shipped. */
export const activePersona = (personas: CataloguePersona[], id: string): CataloguePersona | undefined =>
  personas.find((one) => one.id === id) ?? personas.find((one) => one.id === defaultPersona)

/** The files of one machine. Its hash covers every path, every text and the configuration. */
export async function filesOf(
  instance: Pick<Instance, 'id' | 'model' | 'persona'>,
  personas: CataloguePersona[],
  skills: CatalogueSkill[],
  variables: Record<string, string> = {},
): Promise<AgentFiles> {
  const persona = activePersona(personas, instance.persona)
  const texts = [
    ...(persona?.files ?? []).map(({ path, text }) => ({ path: `persona/${path}`, text })),
    ...skills.flatMap(({ id, files }) => files.map(({ path, text }) => ({ path: `skills/${id}/${path}`, text }))),
  ]
  const files = await Promise.all(texts.map(describe))
  const config = { instanceId: instance.id, model: instance.model, persona: persona?.id ?? instance.persona }
  const named = [
    JSON.stringify([config, Object.entries(variables).sort()]),
    ...files.map(({ path, sha256 }) => `${sha256} ${path}`),
  ]
  return { etag: await sha256Of(new TextEncoder().encode(named.join('\n'))), config, files, variables }
}

async function describe({ path, text }: { path: string; text: string }): Promise<AgentFile> {
  const bytes = new TextEncoder().encode(text)
  return { path, sha256: await sha256Of(bytes), size: bytes.length, text }
}

async function sha256Of(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  return [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** True when an If-None-Match header names this hash, quoted, weak or bare. */
export const matches = (header: string | undefined, etag: string): boolean =>
  (header ?? '').split(',').some((one) => one.trim().replace(/^W\//, '').replaceAll('"', '') === etag)
