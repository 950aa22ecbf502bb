import * as z from 'zod'
import { operation } from '../kit/operation.ts'

export const finishSlackInstall = operation({
  id: 'finishSlackInstall',
  summary: 'Add our app to the Slack workspace that you chose',
  description:
    'Takes the parameters from Slack. Every member of the workspace can then link a chat to their own account.',
  http: { method: 'POST', path: '/channels/slack/installs/finish' },
  auth: 'session',
  input: z.strictObject({
    code: z.string().min(1).max(500).meta({ description: 'From Slack.', example: '1234567890.abcdef' }),
    state: z.string().min(1).max(200).meta({ description: 'As it was sent to Slack.', example: '1793448000000.K7MW' }),
  }),
  output: z.object({
    workspace: z.object({
      id: z.string().meta({ example: 'T0123ABCD' }),
      name: z.string().meta({ example: 'Workshop' }),
    }),
  }),
  errors: ['conflict', 'provider-error'],
  audit: ({ output }) => output.workspace.id,
  uses: { slackInstalls: 'write', slackTeams: 'write' },
  run: async ({ input, actor, deps, now }) => {
    const { team, token } = await deps.slackInstalls.finish(input, actor.userId, now)
    await deps.slackTeams.save(team, token)
    return { workspace: { id: team.teamId, name: team.name } }
  },
})
