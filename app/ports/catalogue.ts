import type { CataloguePersona, PersonaChoices, PersonaVersion } from '../../domain/catalogue/persona.ts'
import type { CatalogueSkill, SkillChoice, SkillChoices } from '../../domain/catalogue/skill.ts'
import type { Part } from './part.ts'

export interface Catalogue {
  skills(): Promise<CatalogueSkill[]>
  personas(): Promise<CataloguePersona[]>
  choices(userId: string): Promise<PersonaChoices & SkillChoices>
  chooseSkill(userId: string, choice: SkillChoice, ...also: Part[]): Promise<true>
  /** Writes version `next.version`; false when the version before it is no longer the newest. */
  savePersona(userId: string, next: PersonaVersion, ...also: Part[]): Promise<boolean>
  /** Deletes all versions in one transaction; false when `newest` is no longer the newest. */
  deletePersona(userId: string, newest: PersonaVersion, ...also: Part[]): Promise<boolean>
  /** Kept versions of a user's own persona, newest first. */
  versions(userId: string, personaId: string): Promise<PersonaVersion[]>
}
