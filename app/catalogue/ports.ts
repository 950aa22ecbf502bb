import type { CataloguePersona, PersonaChoices, PersonaVersion } from '../../domain/catalogue/persona.ts'
import type { CatalogueSkill, SkillChoice, SkillChoices } from '../../domain/catalogue/skill.ts'

/** The first-party skills and personas shipped with this version, and each user's own choices of them. */
export interface Catalogue {
  skills(): Promise<CatalogueSkill[]>
  personas(): Promise<CataloguePersona[]>
  /** A user's choices and own texts, besides the catalogue's. */
  choices(userId: string): Promise<PersonaChoices & SkillChoices>
  chooseSkill(userId: string, choice: SkillChoice): Promise<void>
  /** Writes the version after `next.version - 1`; false when that one is no longer the newest. */
  savePersona(userId: string, next: PersonaVersion): Promise<boolean>
  /** Deletes a persona with its versions, all or nothing; false when `newest` is no longer its newest version. */
  deletePersona(userId: string, newest: PersonaVersion): Promise<boolean>
  /** Versions of a user's own persona that are still kept, newest first. */
  versions(userId: string, personaId: string): Promise<PersonaVersion[]>
}
