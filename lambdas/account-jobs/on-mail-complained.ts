import * as z from 'zod'
import { noteReturned } from '../../app/account/note-returned.ts'
import { email } from '../../domain/account/user.ts'
import { job } from '../kit/job.ts'

export const onMailComplained = job({
  id: 'onMailComplained',
  on: { bus: 'aws', source: 'aws.ses', detailType: 'Email Complaint Received', sender: 'stage' },
  input: z.object({ mail: z.object({ destination: z.array(email) }) }),
  uses: { users: 'write', logins: 'write' },
  run: async ({ input: { mail }, deps, now }) => {
    await noteReturned(deps, mail.destination, 'complained', now)
    deps.alarms.raise('MailsReturned', 1, { why: 'complained' })
  },
})
