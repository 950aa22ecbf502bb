import * as z from 'zod'
import { askerOf } from '../../app/account/known-browser.ts'
import { addAttempt, mailSecrets } from '../../app/account/sign-in.ts'
import { email } from '../../domain/account/user.ts'
import { operation } from '../kit/operation.ts'

export const login = operation({
  id: 'login',
  summary: 'E-mail a sign-in code',
  description:
    'Sends a 6-digit code and a link. The code is valid for 10 minutes, only in the browser that asked: the answer ' +
    'sets a cookie, which `verify` requires. The link is valid for an hour in any browser. The answer is the same ' +
    'whether or not the account exists, and whether or not an e-mail is sent. After several unused e-mails, no more ' +
    'are sent for a while; their links stay valid.',
  http: { method: 'POST', path: '/auth/login', status: 202 },
  auth: 'none',
  limit: 'login',
  sameOrigin: true,
  input: z.strictObject({ email }),
  output: z.object({
    sent: z.literal(true),
    bounced: z.boolean().meta({
      description:
        'Whether an e-mail to this address bounced permanently in the last 30 days, for example because the mailbox ' +
        'does not exist. The new e-mail is sent anyway.',
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
