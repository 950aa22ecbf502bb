import { operation } from '../kit/operation.ts'
import { begin, beginning } from './begin-view.ts'

export const viewUserMessages = operation({
  ...beginning,
  id: 'viewUserMessages',
  summary: 'View a user’s dashboard with messages',
  description:
    'Like `viewUser`, but the view also shows conversations, personas, schedules, hooks and logs. It shows no files. The ' +
    'audit trails record this operation’s id.',
  http: { method: 'POST', path: '/operator/users/{user}/view-with-messages', status: 201 },
  run: (context) => begin(context, true),
})
