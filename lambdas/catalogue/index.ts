import { area } from '../kit/operation.ts'
import { access } from './access.ts'
import { activatePersona } from './activate-persona.ts'
import { deactivatePersona } from './deactivate-persona.ts'
import { getSkill } from './get-skill.ts'
import { listPersonas } from './list-personas.ts'
import { listSkills } from './list-skills.ts'

export const catalogueArea = area({
  name: 'catalogue',
  access,
  operations: [listSkills, getSkill, listPersonas, activatePersona, deactivatePersona],
})
