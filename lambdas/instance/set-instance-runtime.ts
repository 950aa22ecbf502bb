import * as z from 'zod'
import { requestPreChangePoint } from '../../app/files/restore-points.ts'
import { changeInstance } from '../../app/instance/change.ts'
import { invalid, noInstance } from '../../domain/errors.ts'
import { showInstance } from '../../domain/instance/explain.ts'
import { checkCarries } from '../../domain/instance/runtime.ts'
import { changed, transitionStatus } from '../../domain/instance/status.ts'
import { operation } from '../kit/operation.ts'

export const setInstanceRuntime = operation({
  id: 'setInstanceRuntime',
  summary: 'Choose the agent’s program',
  description:
    'Choose one from GET /instance/runtimes. A running machine takes a restore point and restarts with the program; ' +
    'a paused one uses it from its next start. Files, notes and the conversation stay. Each program’s own state ' +
    'also stays, for when you return to the program.',
  http: { method: 'PUT', path: '/instance/runtime', status: transitionStatus },
  auth: 'user',
  scope: 'mcp:instance.write',
  input: z.strictObject({ runtime: z.string().min(1).max(40).meta({ example: 'reference' }) }),
  output: changed,
  errors: ['conflict', 'not-found'],
  commits: true,
  uses: {
    bus: 'write',
    events: 'write',
    instances: 'write',
    restorePoints: 'write',
    runtimes: 'read',
    tasks: 'write',
    users: 'read',
  },
  run: async ({ input, actor: { userId }, deps, now, outboxFor }) => {
    const [offered, instance, user] = await Promise.all([
      deps.runtimes.offered(),
      deps.instances.find(userId),
      deps.users.find(userId),
    ])
    const chosen = offered.find(({ name }) => name === input.runtime)
    if (!chosen) throw invalid('runtime', `use one of ${offered.map(({ name }) => name).join(', ')}.`)
    if (!instance || instance.state === 'deleted') throw noInstance()
    checkCarries(chosen, instance.plan, user?.subscription.nextPlan)
    if (instance.runtime === chosen.name) return { instance: showInstance(instance) }
    await requestPreChangePoint(deps, instance, 'runtime', now)
    const choice = { runtime: chosen.name }
    const set =
      instance.desiredState === 'running'
        ? (await changeInstance(deps, userId, 'refresh', 'refresh', now, outboxFor, choice)).instance
        : await deps.instances.setRuntime(
            userId,
            chosen.name,
            outboxFor(instance.id),
            deps.events.entry(userId, 'instance.changed', choice),
          )
    if (!set) throw noInstance()
    return { instance: showInstance(set) }
  },
})
