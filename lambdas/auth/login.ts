import * as z from 'zod'
import { email } from '../../domain/account/user.ts'
import { operation } from '../kit/operation.ts'

export const login = operation({
  id: 'login',
  summary: 'Mail a sign-in code',
  description:
    'Mails a 6-digit code that is good for 10 minutes. The answer is the same whether the account exists or not.',
  http: { method: 'POST', path: '/auth/login', status: 202 },
  auth: 'none',
  limit: 'login',
  sameOrigin: true,
  input: z.strictObject({ email }),
  output: z.object({ sent: z.literal(true) }),
  errors: [],
  uses: ['logins', 'mail'],
  run: async ({ input, deps, now }) => {
    const code = deps.ids.digits(6)
    const issued = await deps.logins.issue(input.email, code, now)
    if (issued) {
      await deps.mail.send({
        to: input.email,
        subject: `${code} is your Berth sign-in code`,
        text: `Your sign-in code is ${code}\n\nIt is good for 10 minutes. If you did not ask for it, ignore this mail.\n`,
      })
    }
    return { sent: true as const }
  },
})
