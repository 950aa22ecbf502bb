import { answersChallenge, manifestJson, newAppUrl, saveApp, say, whoSpeaks } from '../../adapters/slack/operator.ts'
import { type SlackSecret, slackSecret } from '../../adapters/slack/secret.ts'
import { type ChannelSetup, type Check, type SetupContext, SetupError } from './setup.ts'

/** Fields of Slack's page "Basic Information", with our environment variables. */
const credentials = {
  appId: 'SLACK_APP_ID',
  clientId: 'SLACK_CLIENT_ID',
  clientSecret: 'SLACK_CLIENT_SECRET',
  signingSecret: 'SLACK_SIGNING_SECRET',
} as const satisfies Partial<Record<keyof SlackSecret, string>>

const names = Object.values(credentials).join(', ')

/** A secret that was never written is empty. */
const current = async (context: SetupContext): Promise<SlackSecret> =>
  slackSecret.parse((await context.readSecret()) ?? {})

/** Null if the environment has none of the values. @throws SetupError when it has only some of them */
function givenBy({ given }: SetupContext): Partial<SlackSecret> | null {
  const entries = Object.entries(credentials).flatMap(([field, variable]) => {
    const value = given(variable)
    return value ? [[field, value] as const] : []
  })
  if (entries.length === 0) return null
  if (entries.length < Object.keys(credentials).length) throw new SetupError(`Give all of ${names}.`)
  return Object.fromEntries(entries)
}

export const slack: ChannelSetup = {
  async setup(context) {
    const secret = await current(context)
    const token = context.given('SLACK_APP_CONFIG_TOKEN')
    const values = givenBy(context)
    if (!token && !values) {
      context.say('Create the Slack app once by hand. Open this address, choose your workspace and create the app:\n')
      context.say(newAppUrl(context.webhookUrl, context.publicOrigin))
      context.say(
        `\nOr paste this manifest at https://api.slack.com/apps:\n\n${manifestJson(context.webhookUrl, context.publicOrigin)}\n`,
      )
      context.say(`Then run this again with ${names} from the page "Basic Information".`)
      context.say(
        'With an app configuration token in SLACK_APP_CONFIG_TOKEN, this command creates and updates the app itself.',
      )
      return
    }
    const saved = token ? await saveApp({ ...secret, ...values }, token, context) : { ...secret, ...values }
    await context.writeSecret(saved)
    context.say(`Wrote the app ${saved.appId} to the secret. Functions read it within five minutes.`)
    context.say(
      `Then let Slack verify the address: https://api.slack.com/apps/${saved.appId}/event-subscriptions, "Retry".`,
    )
    context.say(
      `Once "Public Distribution" is on, users add the app to their workspaces at ${context.publicOrigin}/connect?tab=channels.`,
    )
  },

  async *doctor(context) {
    const secret = await current(context)
    const missing = Object.entries(credentials).flatMap(
      ([field, variable]) => (secret[field as keyof typeof credentials] ? [] : [variable]), // safe because it is a field of credentials
    )
    yield {
      name: 'secret',
      found: missing.length === 0 ? `app ${secret.appId}` : 'not filled in',
      problem: missing.length === 0 ? null : `Run channels setup slack with ${missing.join(', ')}`,
    }
    if (missing.length > 0) return
    const answers = await answersChallenge(context.webhookUrl, secret.signingSecret, Date.now())
    yield {
      name: 'webhook',
      found: `${context.webhookUrl} ${answers ? 'accepts requests signed by Slack' : 'refuses requests signed by Slack'}`,
      problem: answers ? null : 'Wait five minutes after a setup, then check the address',
    }
    const forged = await answersChallenge(context.webhookUrl, `not ${secret.signingSecret}`, Date.now())
    yield {
      name: 'signatures',
      found: forged ? 'any request is accepted' : 'forged requests are refused',
      problem: forged ? 'Anybody can send requests as Slack. Take the address down' : null,
    }
    yield* inWorkspace(context, secret)
  },
}

async function* inWorkspace({ given, chat }: SetupContext, secret: SlackSecret): AsyncIterable<Check> {
  const token = given('SLACK_BOT_TOKEN')
  if (!token) {
    yield {
      name: 'workspace',
      found: 'not checked: set SLACK_BOT_TOKEN to a workspace’s token, and give --chat C…',
      problem: null,
    }
    return
  }
  const speaker = await attempt(() => whoSpeaks(secret, token))
  if ('problem' in speaker) {
    yield { name: 'workspace', found: 'it does not accept the token', problem: speaker.problem }
    return
  }
  const { team, lacks } = speaker.done
  yield {
    name: 'workspace',
    found: team,
    problem: lacks.length > 0 ? `The app lacks ${lacks.join(', ')}: install it again` : null,
  }
  if (!chat) return
  const answer = await attempt(() => say(secret, token, chat, 'This message only tests whether messages arrive.'))
  yield {
    name: 'message',
    found: 'problem' in answer ? 'not accepted' : `accepted in ${chat}`,
    problem: 'problem' in answer ? answer.problem : null,
  }
}

async function attempt<T>(run: () => Promise<T>): Promise<{ done: T } | { problem: string }> {
  try {
    return { done: await run() }
  } catch (error) {
    return { problem: error instanceof Error ? error.message : 'It failed' }
  }
}
