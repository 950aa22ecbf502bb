import { type AgentFile, type AgentFiles, activePersona } from '../../domain/agent/files.ts'
import type { CataloguePersona } from '../../domain/catalogue/persona.ts'
import type { CatalogueSkill } from '../../domain/catalogue/skill.ts'
import type { Instance } from '../../domain/instance/instance.ts'
import { sha256Of } from '../sha256.ts'

/** The hash covers every path, every text and the configuration. */
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
  return { etag: await sha256Of(named.join('\n')), config, files, variables }
}

const describe = async ({ path, text }: { path: string; text: string }): Promise<AgentFile> => ({
  path,
  sha256: await sha256Of(text),
  size: Buffer.byteLength(text),
  text,
})
