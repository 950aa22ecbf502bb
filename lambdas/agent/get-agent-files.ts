import { filesOf } from '../../app/agent/files.ts'
import { personaAndSkills } from '../../app/catalogue/persona-and-skills.ts'
import { agentFilesAnswer, matches } from '../../domain/agent/files.ts'
import { noInstance } from '../../domain/errors.ts'
import { operation } from '../kit/operation.ts'
export const getAgentFiles = operation({
  id: 'getAgentFiles',
  summary: 'Get the machine’s configuration: persona, skills, model, variables',
  description:
    'Send the last `etag` as If-None-Match. If nothing has changed, the answer is only `{ etag, unchanged: true }`.',
  http: { method: 'GET', path: '/agent/files' },
  auth: 'files',
  limit: 'agent',
  output: agentFilesAnswer,
  errors: ['not-found'],
  uses: { instances: 'read', catalogue: 'read', variables: 'read' },
  run: async ({ actor, deps, request }) => {
    const [instance, { personas, skills }, values] = await Promise.all([
      deps.instances.find(actor.userId),
      personaAndSkills(deps, actor.userId),
      deps.variables.values(actor.userId),
    ])
    if (!instance) throw noInstance()
    const { etag, ...rest } = await filesOf(instance, personas, skills, values)
    if (matches(request.headers['if-none-match'], etag)) return { etag, unchanged: true }
    return { etag, unchanged: false, ...rest }
  },
})
