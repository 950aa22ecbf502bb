import type { PersonaVersion } from '../../domain/catalogue/persona.ts'
import { chooseSkill, type Skill, showSkill, skillById, skillsListing } from '../../domain/catalogue/skill.ts'
import { iso } from '../../domain/time.ts'
import type { Catalogue } from '../ports/catalogue.ts'
import type { Events } from '../ports/chat.ts'
import type { Part } from '../ports/part.ts'

type SkillPorts = { catalogue: Catalogue; events: Events }

/** @throws not-found; conflict naming what a skill to enable lacks */
export async function setSkill(
  { catalogue, events }: SkillPorts,
  userId: string,
  { id, enabled }: { id: string; enabled: boolean },
  nowMs: number,
  ...also: Part[]
): Promise<Skill> {
  const [all, choices] = await Promise.all([catalogue.skills(), catalogue.choices(userId)])
  const skill = skillById(all, id)
  const choice = chooseSkill(skill, enabled, choices, iso(nowMs))
  await catalogue.chooseSkill(userId, choice, ...also)
  await events.record(userId, 'skill.changed', { skill: id, enabled })
  return showSkill(skill, { ...choices, skills: [choice] })
}

/** Announces each skill that needs one of these variables, because its state depends on them. */
export async function recordSkillsThatNeed(
  { catalogue, events }: SkillPorts,
  userId: string,
  names: readonly string[],
): Promise<void> {
  if (names.length === 0) return
  const needing = (await catalogue.skills()).filter(({ requires }) => requires.env.some((name) => names.includes(name)))
  await recordSkills(events, userId, needing)
}

/** Announces each skill whose list of personas has changed, because that list is part of the skill. */
export async function recordSkillsThatList(
  { catalogue, events }: SkillPorts,
  userId: string,
  before: PersonaVersion | null,
  after: PersonaVersion | null,
): Promise<void> {
  await recordSkills(events, userId, skillsListing(await catalogue.skills(), before, after))
}

async function recordSkills({ record }: Events, userId: string, skills: readonly { id: string }[]) {
  await Promise.all(skills.map(({ id }) => record(userId, 'skill.changed', { skill: id })))
}
