import * as z from 'zod'
import { operation } from '../kit/operation.ts'

export const startSlackInstall = operation({
  id: 'startSlackInstall',
  summary: 'Get the Slack page that adds our app to a workspace',
  description: 'Slack sends you back with a code and this state. Both are valid for ten minutes, and only for you.',
  http: { method: 'POST', path: '/channels/slack/installs' },
  auth: 'session',
  output: z.object({
    url: z.string().meta({ example: 'https://slack.com/oauth/v2/authorize?client_id=1.2&state=1793448000000.K7MW' }),
  }),
  errors: ['conflict'],
  uses: { slackInstalls: 'read' },
  run: ({ actor, deps, now }) => deps.slackInstalls.begin(actor.userId, now),
})
