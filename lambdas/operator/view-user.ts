import { operation } from '../kit/operation.ts'
import { begin, beginning } from './begin-view.ts'

export const viewUser = operation({
  ...beginning,
  id: 'viewUser',
  summary: 'View a user’s dashboard',
  description:
    'Opens a read-only view of what the user sees, for at most fifteen minutes. Only this session has the view, and it ' +
    'has one view at a time. The view shows no messages, personas, schedules, hooks or logs.',
  http: { method: 'POST', path: '/operator/users/{user}/view', status: 201 },
  run: (context) => begin(context, false),
})
