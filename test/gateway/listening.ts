import { Listener } from '../../gateway/listener.ts'
import type { World } from '../adapters/discord/world.ts'
import { until } from '../until.ts'

export interface Listening {
  listener: Listener
  /** Its messages to the operator. */
  lines: string[]
  stop(): Promise<void>
}

/** Our listener, connected to the stand-in's gateway. */
export async function listen(world: World): Promise<Listening> {
  const { secret, webhookUrl, emulator } = world
  const lines: string[] = []
  const { applicationId, botToken, gatewayKey, apiBase } = secret
  const settings = { applicationId, botToken, gatewayKey, apiBase: apiBase ?? '', webhookUrl, pace: 0.1 }
  const listener = new Listener(settings, (line) => lines.push(line))
  const running = listener.run()
  await until(() => emulator.gateway.connected === 1)
  return {
    listener,
    lines,
    async stop() {
      await listener.stop()
      await running
    },
  }
}
