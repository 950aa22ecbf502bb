import * as z from 'zod'
import { showInstance } from '../../domain/instance/instance.ts'
import { resumeOrRenew } from '../../domain/instance/renew.ts'
import { changed, checkMayRun, transitionStatus } from '../../domain/instance/status.ts'
import { operation } from '../kit/operation.ts'

export const resumeInstance = operation({
  id: 'resumeInstance',
  summary: 'Start a paused instance again, or make a new one after it was deleted',
  http: { method: 'POST', path: '/instance/resume', status: transitionStatus },
  tool: {
    name: 'instance.resume',
    title: 'Resume the instance',
    description:
      'Starts the user’s paused agent machine on its kept volume. Needs a live subscription and money in the wallet. Resuming a ' +
      'running instance changes nothing. Returns the instance; it is done when state is running.',
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  },
  auth: 'user',
  scope: 'mcp:instance.write',
  limit: 'write',
  input: z.strictObject({}),
  output: changed,
  errors: ['conflict', 'not-found', 'wallet-empty'],
  audit: ({ output }) => ({ record: output.instance.id }),
  uses: ['instances', 'users', 'wallets', 'bus', 'events'],
  run: async ({ actor: { userId }, deps, now }) => {
    const [user, money] = await Promise.all([deps.users.find(userId), deps.wallets.read(userId)])
    checkMayRun(user, money)
    return {
      instance: showInstance(await resumeOrRenew(deps, userId, user?.subscription.plan ?? 'starter', now)),
    }
  },
})
