import type { SlackInstalls } from '../../app/ports/channels.ts'
import { secretReader } from '../aws/secrets.ts'
import type { Env } from '../env.ts'
import { slackInstallations } from './installs.ts'
import { redirectUri } from './manifest.ts'
import { slackSecret } from './secret.ts'

export const slackInstalls = (env: Env): SlackInstalls =>
  slackInstallations(secretReader(env.secret('slack'), slackSecret), redirectUri(env.settings().publicOrigin))
