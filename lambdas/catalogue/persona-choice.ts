import * as z from 'zod'
import { persona } from '../../domain/catalogue/persona.ts'

/** The parts that `activatePersona` and `deactivatePersona` share. */
export const personaChoice = {
  auth: 'user',
  scope: 'mcp:personas.write',
  input: z.strictObject({ id: z.string().max(100).meta({ example: 'default' }) }),
  output: z.object({ personas: z.array(persona) }),
  errors: ['not-found'],
  uses: { catalogue: 'read', instances: 'write', events: 'write', restorePoints: 'write', tasks: 'write' },
  commits: true,
} as const
