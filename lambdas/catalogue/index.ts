import { area } from '../kit/area.ts'
import { activatePersona } from './activate-persona.ts'
import { deactivatePersona } from './deactivate-persona.ts'
import { deletePersona } from './delete-persona.ts'
import { disableSkill } from './disable-skill.ts'
import { enableSkill } from './enable-skill.ts'
import { getPersona } from './get-persona.ts'
import { getPersonaVersion } from './get-persona-version.ts'
import { getSkill } from './get-skill.ts'
import { listPersonaVersions } from './list-persona-versions.ts'
import { listPersonas } from './list-personas.ts'
import { listSkills } from './list-skills.ts'
import { restorePersonaVersion } from './restore-persona-version.ts'
import { savePersona } from './save-persona.ts'

export const catalogueArea = area({
  name: 'catalogue',
  about: 'Skills, which the agent can learn, and personas, which say how it speaks.',
  operations: [
    listSkills,
    getSkill,
    enableSkill,
    disableSkill,
    listPersonas,
    getPersona,
    savePersona,
    deletePersona,
    activatePersona,
    deactivatePersona,
    listPersonaVersions,
    getPersonaVersion,
    restorePersonaVersion,
  ],
})
