import * as z from 'zod'
import { acceptedTerms } from '../../domain/account/terms.ts'
import { presentTerms, termsVersions } from '../../domain/account/terms-versions.ts'
import { account, showAccount } from '../../domain/account/user.ts'
import { unauthorized } from '../../domain/errors.ts'
import { operation } from '../kit/operation.ts'

export const getAccount = operation({
  id: 'getAccount',
  summary: 'Get your account',
  http: { method: 'GET', path: '/account' },
  auth: 'session',
  viewed: 'account',
  output: z.object({
    account,
    terms: z.object({ present: z.enum(termsVersions), accepted: acceptedTerms.nullable() }).meta({
      description: 'The current terms, and the version that was last accepted by signing in on a page that showed it.',
    }),
  }),
  uses: { users: 'read' },
  run: async ({ actor, deps }) => {
    const user = await deps.users.find(actor.userId)
    if (!user) throw unauthorized()
    return { account: showAccount(user), terms: { present: presentTerms, accepted: user.terms } }
  },
})
