import type { ChatPlatform } from '../../app/ports/chat-platform.ts'
import { secretReader } from '../aws/secrets.ts'
import { slackTeams } from '../dynamo/channels/slack-teams.ts'
import type { Env } from '../env.ts'
import { slackPlatform } from './platform.ts'
import { slackSecret } from './secret.ts'

export const slack = (env: Env): ChatPlatform =>
  slackPlatform(secretReader(env.secret('slack'), slackSecret), slackTeams(env))
