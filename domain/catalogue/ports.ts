import type { CataloguePersona } from './persona.ts'
import type { CatalogueSkill } from './skill.ts'

/** The first-party skills and personas shipped with this version. */
export interface Catalogue {
  skills(): Promise<CatalogueSkill[]>
  personas(): Promise<CataloguePersona[]>
}
