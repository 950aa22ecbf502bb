import * as z from 'zod'
import { changeEmail } from '../../app/account/change-email.ts'
import { account, email, showAccount } from '../../domain/account/user.ts'
import { unauthorized } from '../../domain/errors.ts'
import { operation } from '../kit/operation.ts'

const mailed = z
  .string()
  .regex(/^\d{6}$/, 'the code has six digits.')
  .optional()

export const updateAccount = operation({
  id: 'updateAccount',
  summary: 'Move the account to another e-mail address',
  description:
    'Without codes, the request sends one code to the present address and one to the new address, and answers 202. ' +
    'The same request with both codes moves the account, signs out all other devices and answers 200.',
  http: { method: 'PATCH', path: '/account', status: ({ confirm }) => (confirm ? 202 : 200) },
  auth: 'session',
  input: z.strictObject({ email, currentCode: mailed, newCode: mailed }),
  output: z.object({
    account,
    confirm: z
      .string()
      .nullable()
      .meta({ description: 'The address that waits for both codes; null when it is yours.' }),
  }),
  errors: ['conflict'],
  uses: { users: 'write', logins: 'write', mail: 'write', sessions: 'write' },
  commits: true,
  run: async ({ input, actor, deps, now, outboxFor }) => {
    const user = await deps.users.find(actor.userId)
    if (!user) throw unauthorized()
    const done = await changeEmail(deps, user, actor.sessionId, input, now, outboxFor)
    const moved = done ? { ...user, email: input.email } : user
    return { account: showAccount(moved), confirm: done ? null : input.email }
  },
})
