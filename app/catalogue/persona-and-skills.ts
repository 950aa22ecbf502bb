import { allPersonas, type CataloguePersona } from '../../domain/catalogue/persona.ts'
import { type CatalogueSkill, enabledSkills } from '../../domain/catalogue/skill.ts'
import type { Ports } from '../ports.ts'

export async function personaAndSkills(
  { catalogue }: Pick<Ports, 'catalogue'>,
  userId: string,
): Promise<{ personas: CataloguePersona[]; skills: CatalogueSkill[] }> {
  const [shipped, all, choices] = await Promise.all([
    catalogue.personas(),
    catalogue.skills(),
    catalogue.choices(userId),
  ])
  return { personas: allPersonas(shipped, choices), skills: enabledSkills(all, choices) }
}
