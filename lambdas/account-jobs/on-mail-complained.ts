import * as z from 'zod'
import { email } from '../../domain/account/user.ts'
import { job } from '../kit/job.ts'

export const onMailComplained = job({
  id: 'onMailComplained',
  on: { bus: 'aws', source: 'aws.ses', detailType: 'Email Complaint Received', sender: 'stage' },
  input: z.object({ mail: z.object({ destination: z.array(email) }) }),
  uses: { logins: 'write' },
  run: async ({ input: { mail }, deps, now }) => {
    for (const address of mail.destination) await deps.logins.markReturned(address, 'complained', now)
    deps.alarms.raise('MailsReturned', 1, { why: 'complained' })
  },
})
