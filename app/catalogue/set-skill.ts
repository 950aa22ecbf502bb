import type { PersonaVersion } from '../../domain/catalogue/persona.ts'
import { chooseSkill, type Skill, showSkill, skillById, skillsListing } from '../../domain/catalogue/skill.ts'
import { iso } from '../../domain/time.ts'
import type { Ports } from '../ports.ts'

type SkillPorts = Pick<Ports, 'catalogue' | 'events'>

/** Turns a skill on or off for a user's agent. @throws not-found; conflict naming what a skill to enable lacks */
export async function setSkill(
  { catalogue, events }: SkillPorts,
  userId: string,
  { id, enabled }: { id: string; enabled: boolean },
  nowMs: number,
): Promise<Skill> {
  const [all, choices] = await Promise.all([catalogue.skills(), catalogue.choices(userId)])
  const skill = skillById(all, id)
  const choice = chooseSkill(skill, enabled, choices, iso(nowMs))
  await catalogue.chooseSkill(userId, choice)
  await events.record(userId, 'skill.changed', { skill: id, enabled })
  return showSkill(skill, { ...choices, skills: [choice] })
}

/** Tells the user's streams of each skill that needs one of these variables: whether it is on depends on them. */
export async function recordSkillsThatNeed(
  { catalogue, events }: SkillPorts,
  userId: string,
  names: readonly string[],
): Promise<void> {
  if (names.length === 0) return
  const needing = (await catalogue.skills()).filter(({ requires }) => requires.env.some((name) => names.includes(name)))
  await recordSkills(events, userId, needing)
}

/** Tells the user's streams of each skill that lists a persona otherwise than before: its personas are part of what it shows. */
export async function recordSkillsThatList(
  { catalogue, events }: SkillPorts,
  userId: string,
  before: PersonaVersion | null,
  after: PersonaVersion | null,
): Promise<void> {
  await recordSkills(events, userId, skillsListing(await catalogue.skills(), before, after))
}

async function recordSkills({ record }: Ports['events'], userId: string, skills: readonly { id: string }[]) {
  await Promise.all(skills.map(({ id }) => record(userId, 'skill.changed', { skill: id })))
}
