import {
  allPersonas,
  type Persona,
  type PersonaVersion,
  savedMeanwhile,
  showPersona,
} from '../../domain/catalogue/persona.ts'
import type { InstanceRecord } from '../../domain/instance/instance.ts'
import { requestPreChangePoint } from '../files/restore-points.ts'
import type { Ids } from '../ports/basics.ts'
import type { Catalogue } from '../ports/catalogue.ts'
import type { Events } from '../ports/chat.ts'
import type { RestorePoints, Tasks } from '../ports/files.ts'
import type { Instances } from '../ports/instance.ts'
import type { Part } from '../ports/part.ts'
import { recordSkillsThatList } from './set-skill.ts'

type ReadPorts = { catalogue: Catalogue; instances: Instances }

export async function readPersonas({ catalogue, instances }: ReadPorts, userId: string) {
  const [shipped, { personas: own }, instance] = await Promise.all([
    catalogue.personas(),
    catalogue.choices(userId),
    instances.find(userId),
  ])
  return { shipped, own, all: allPersonas(shipped, { personas: own }), instance }
}

/** Makes a persona active; a change requests a restore point first. Null without an instance. */
export async function setPersona(
  deps: { instances: Instances; restorePoints: RestorePoints; tasks: Tasks; ids: Ids },
  userId: string,
  before: InstanceRecord | null,
  personaId: string,
  nowMs: number,
  ...also: Part[]
): Promise<InstanceRecord | null> {
  if (before?.persona !== personaId) await requestPreChangePoint(deps, before, 'persona', nowMs)
  return deps.instances.setPersona(userId, personaId, ...also)
}

/** `before` is the newest version, null for a new persona. @throws conflict with the newest, when another save won */
export async function saveVersion(
  deps: ReadPorts & { events: Events },
  userId: string,
  next: PersonaVersion,
  before: PersonaVersion | null,
  ...also: Part[]
): Promise<Persona> {
  const { catalogue, instances, events } = deps
  if (!(await catalogue.savePersona(userId, next, ...also))) {
    const { personas } = await catalogue.choices(userId)
    throw savedMeanwhile(next.version - 1, personas.find(({ id }) => id === next.id)?.version ?? 0)
  }
  const [instance] = await Promise.all([
    instances.find(userId),
    events.record(userId, 'persona.changed', { persona: next.id, version: next.version }),
    recordSkillsThatList(deps, userId, before, next),
  ])
  const { savedAt: _, ...saved } = next
  return showPersona({ ...saved, builtIn: false }, instance?.persona ?? '')
}
