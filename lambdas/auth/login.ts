import * as z from 'zod'
import { countAddress } from '../../app/account/sign-in.ts'
import { signInMail } from '../../domain/account/mail-texts.ts'
import { email } from '../../domain/account/user.ts'
import { operation } from '../kit/operation.ts'

export const login = operation({
  id: 'login',
  summary: 'Mail a sign-in code',
  description:
    'Mails a 6-digit code that is good for 10 minutes; after ten wrong codes in a day, a link instead. The answer is the ' +
    'same whether the account exists or not. An address is mailed 5 times an hour and 20 times a day at most.',
  http: { method: 'POST', path: '/auth/login', status: 202 },
  auth: 'none',
  limit: 'login',
  sameOrigin: true,
  input: z.strictObject({ email }),
  output: z.object({ sent: z.literal(true) }),
  uses: { logins: 'write', mail: 'write', rates: 'write' },
  run: async ({ input, deps, now }) => {
    await countAddress(deps, 'login', input.email, now)
    const issued = await deps.logins.issue(input.email, now)
    const { publicOrigin } = deps.settings
    if (issued) await deps.mail.send({ to: input.email, ...signInMail(issued, input.email, publicOrigin) })
    return { sent: true as const }
  },
})
