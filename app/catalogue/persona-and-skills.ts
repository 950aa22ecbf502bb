import { allPersonas, type CataloguePersona } from '../../domain/catalogue/persona.ts'
import { type CatalogueSkill, enabledSkills } from '../../domain/catalogue/skill.ts'
import type { Catalogue } from '../ports/catalogue.ts'

export async function personaAndSkills(
  { catalogue }: { catalogue: Catalogue },
  userId: string,
): Promise<{ personas: CataloguePersona[]; skills: CatalogueSkill[] }> {
  const [shipped, all, choices] = await Promise.all([
    catalogue.personas(),
    catalogue.skills(),
    catalogue.choices(userId),
  ])
  return { personas: allPersonas(shipped, choices), skills: enabledSkills(all, choices) }
}
