export interface Settings {
  applicationId: string
  botToken: string
  /** Signs each request to the webhook. */
  gatewayKey: string
  apiBase: string
  /** The service's address for events. */
  webhookUrl: string
  /** A factor for all waits. */
  pace: number
}

/**
 * @param env `DISCORD_SECRET`, the JSON of the secret `discord`, and `API_BASE`, the address of our API
 * @throws an error that says which is missing
 */
export function readSettings(env: Readonly<Record<string, string | undefined>>): Settings {
  const secret: unknown = JSON.parse(env.DISCORD_SECRET || '{}')
  const text = (name: string): string => {
    const { [name]: value } = Object(secret) as Record<string, unknown> // safe because every value is unknown
    return typeof value === 'string' ? value : ''
  }
  const [applicationId, botToken, gatewayKey] = ['applicationId', 'botToken', 'gatewayKey'].map((name) => {
    const value = text(name)
    if (value === '') throw new Error(`the secret discord has no ${name}: set Discord up first`)
    return value
  }) as [string, string, string] // safe because there are three names
  if (!env.API_BASE) throw new Error('the environment lacks API_BASE')
  const apiBase = text('apiBase') || 'https://discord.com'
  return { applicationId, botToken, gatewayKey, apiBase, webhookUrl: `${env.API_BASE}/webhooks/discord`, pace: 1 }
}
