import type { CataloguePersona, PersonaChoices, PersonaVersion } from '../../domain/catalogue/persona.ts'
import type { CatalogueSkill, SkillChoice, SkillChoices } from '../../domain/catalogue/skill.ts'

export interface Catalogue {
  skills(): Promise<CatalogueSkill[]>
  personas(): Promise<CataloguePersona[]>
  choices(userId: string): Promise<PersonaChoices & SkillChoices>
  chooseSkill(userId: string, choice: SkillChoice): Promise<void>
  /** Writes version `next.version`; false when the version before it is no longer the newest. */
  savePersona(userId: string, next: PersonaVersion): Promise<boolean>
  /** Deletes all versions in one transaction; false when `newest` is no longer the newest. */
  deletePersona(userId: string, newest: PersonaVersion): Promise<boolean>
  /** Kept versions of a user's own persona, newest first. */
  versions(userId: string, personaId: string): Promise<PersonaVersion[]>
}
