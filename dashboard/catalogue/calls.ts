import type { FileDiff } from '../../domain/catalogue/diff.ts'
import type { Persona, PersonaFile } from '../../domain/catalogue/persona.ts'
import type { Skill, skillDetail } from '../../domain/catalogue/skill.ts'
import type { personaVersions, versionDetail } from '../../domain/catalogue/versions.ts'
import { call } from '../client.ts'

export type { FileDiff, Persona, PersonaFile, Skill }
export type SkillDetail = (typeof skillDetail)['_output']
export type Versions = (typeof personaVersions)['_output']['versions']
export type VersionDetail = (typeof versionDetail)['_output']

export interface Draft {
  name: string
  description: string
  files: PersonaFile[]
}

const at = (id: string) => `/personas/${encodeURIComponent(id)}`

export const catalogue = {
  skills: (q: string) => call<{ skills: Skill[] }>('GET', `/skills?limit=100&q=${encodeURIComponent(q)}`),
  skill: (id: string) => call<SkillDetail>('GET', `/skills/${id}`),
  choose: (id: string, enabled: boolean) =>
    call<{ skill: Skill }>('POST', `/skills/${id}/${enabled ? 'enable' : 'disable'}`, {}),
  personas: () => call<{ personas: Persona[] }>('GET', '/personas'),
  persona: (id: string) => call<{ persona: Persona; texts: PersonaFile[] }>('GET', at(id)),
  activate: (id: string) => call<{ personas: Persona[] }>('POST', `${at(id)}/activate`, {}),
  deactivate: (id: string) => call<{ personas: Persona[] }>('POST', `${at(id)}/deactivate`, {}),
  save: (id: string, draft: Draft) => call<{ persona: Persona }>('PUT', at(id), draft),
  remove: (id: string) => call<{ personas: Persona[] }>('DELETE', at(id)),
  versions: (id: string) => call<{ versions: Versions }>('GET', `${at(id)}/versions`),
  version: (id: string, version: number) => call<VersionDetail>('GET', `${at(id)}/versions/${version}`),
  restore: (id: string, version: number) =>
    call<{ persona: Persona }>('POST', `${at(id)}/versions/${version}/restore`, {}),
}
