import * as z from 'zod'
import { noteReturned } from '../../app/account/note-returned.ts'
import { readBounce } from '../../domain/account/returned-mail.ts'
import { email } from '../../domain/account/user.ts'
import { job } from '../kit/job.ts'

/** SES also reports the server's answer for a bounce; none of it is stored. */
export const onMailBounced = job({
  id: 'onMailBounced',
  on: { bus: 'aws', source: 'aws.ses', detailType: 'Email Bounced', sender: 'stage' },
  input: z.object({
    bounce: z.object({ bounceType: z.string(), bounceSubType: z.string() }),
    // The bounce's own recipients may be forwarding addresses, so they are not read.
    mail: z.object({ destination: z.array(email) }),
  }),
  uses: { users: 'write', logins: 'write' },
  run: async ({ input: { bounce, mail }, deps, now }) => {
    const { lasting, news } = readBounce(bounce)
    if (!lasting) return
    await noteReturned(deps, mail.destination, 'bounced', now)
    if (news) deps.alarms.raise('MailsReturned', 1, { why: `bounced: ${bounce.bounceSubType}` })
  },
})
