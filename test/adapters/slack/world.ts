import { slackPlatform } from '../../../adapters/slack/platform.ts'
import type { ChatPlatform, Destination } from '../../../app/ports/chat-platform.ts'
import type { Inbound, ReplyContext } from '../../../domain/channels/inbound.ts'
import type { SlackOptions } from '../../../emulators/slack/emulator.ts'
import { type TestSlack, testSlack, workshop } from '../../../emulators/slack/test/slack.ts'

export interface SlackWorld extends TestSlack {
  platform: ChatPlatform
  /** The stored workspaces with their tokens. */
  tokens: Map<string, string>
  /** Number of token reads. */
  reads(): number
  forgotten: [team: string, at: string][]
  /** The adapter's reading of all deliveries in their order; a refusal fails the test. */
  heard(): Promise<Inbound[]>
  /** Ada's direct messages with the app. */
  direct: string
  to(channel: string, context?: ReplyContext): Destination
}

/** The emulator of Slack with the adapter in front of it. */
export async function slackWorld(options: Partial<SlackOptions> = {}): Promise<SlackWorld> {
  const slack = await testSlack(options)
  const tokens = new Map([[workshop.team, slack.people.install(workshop.team)]])
  const forgotten: [string, string][] = []
  let reads = 0
  const platform = slackPlatform(async () => ({ ...slack.app, apiBase: `${slack.apiBase}/` }), {
    async find(teamId) {
      reads += 1
      const token = tokens.get(teamId)
      const about = {
        name: 'Workshop',
        botUserId: 'U0BOTWORKS',
        installerId: workshop.ada,
        installedAt: '2026-11-01T12:00:00.000Z',
      }
      return token === undefined ? null : { teamId, token, ...about }
    },
    async forget(teamId, at) {
      forgotten.push([teamId, at])
      tokens.delete(teamId)
    },
  })
  return {
    ...slack,
    platform,
    tokens,
    reads: () => reads,
    forgotten,
    async heard() {
      await slack.settled()
      const readings = await Promise.all(slack.delivered.map((request) => platform.read(request, Date.now())))
      return readings.flatMap((reading) => {
        if (reading.kind === 'refused') throw new Error(reading.why)
        return reading.inbound
      })
    },
    direct: slack.people.direct(workshop.team, workshop.ada).id,
    to: (channel, context = {}) => ({
      chat: {
        platform: 'slack',
        id: `${workshop.team}/${channel}`,
        kind: channel.startsWith('D') ? 'direct' : 'group',
      },
      context,
    }),
  }
}
