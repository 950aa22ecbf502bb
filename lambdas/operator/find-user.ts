import * as z from 'zod'
import { account, email, showAccount } from '../../domain/account/user.ts'
import { userId } from '../../domain/operator/trail.ts'
import { operation } from '../kit/operation.ts'

export const findUser = operation({
  id: 'findUser',
  summary: 'Find a user by e-mail address or id',
  description: 'Takes the whole address. Addresses cannot be searched by a part.',
  http: { method: 'GET', path: '/operator/users' },
  auth: 'operator',
  input: z.strictObject({
    query: z
      .union([userId, email])
      .meta({ description: 'A whole e-mail address, or an id.', example: 'ada@example.com' }),
  }),
  output: z.object({ account: account.nullable() }),
  uses: { users: 'read' },
  audit: ({ output }) => output.account?.id ?? 'nobody',
  run: async ({ input: { query }, deps }) => {
    const user = query.includes('@') ? await deps.users.findByEmail(query) : await deps.users.find(query)
    return { account: user && showAccount(user) }
  },
})
