import * as z from 'zod'
import { askerOf } from '../../app/account/known-browser.ts'
import { addAttempt, mailSecrets } from '../../app/account/sign-in.ts'
import { email } from '../../domain/account/user.ts'
import { operation } from '../kit/operation.ts'

export const login = operation({
  id: 'login',
  summary: 'Mail a sign-in code',
  description:
    'Mails a 6-digit code that is good for 10 minutes in the browser that asks, which is given a cookie to show with it, ' +
    'and a link that is good for an hour in any. The answer is the same whether the account exists or not, and whether ' +
    'a mail is sent or not: after several that nobody used, the links they have must do.',
  http: { method: 'POST', path: '/auth/login', status: 202 },
  auth: 'none',
  limit: 'login',
  sameOrigin: true,
  input: z.strictObject({ email }),
  output: z.object({
    sent: z.literal(true),
    bounced: z.boolean().meta({
      description:
        'Whether a mail to this address came back for good in the last 30 days, such as from a server that knows no such ' +
        'mailbox. Nothing depends on it: this one is mailed all the same.',
    }),
  }),
  uses: { logins: 'write', mail: 'write', cursors: 'read' },
  run: async ({ input: { email: to }, actor, deps, now, cookie, setCookie }) => {
    const asker = await askerOf(deps, to, actor.ip, cookie('browser'))
    const { attempt, mail, bounced } = await deps.logins.issue(to, asker, now)
    setCookie('attempts', addAttempt(cookie('attempts'), attempt))
    if (mail) await mailSecrets(deps, to, mail, now)
    return { sent: true as const, bounced }
  },
})
