import type { UsableSecret } from '../../domain/instance/secrets.ts'
import type { Service } from '../kit/service.ts'

/** Maximum age of fetched secrets, and the age after which an unknown name is requested again, ms. */
const freshMs = 60_000
const missedMs = 5_000

/** The user's secrets, held only in this process's memory. */
export class SecretStore {
  readonly #service: Pick<Service, 'call'>
  #secrets: ReadonlyMap<string, UsableSecret> = new Map()
  #fetchedMs = Number.NEGATIVE_INFINITY
  #fetching: Promise<void> | undefined

  constructor(service: Pick<Service, 'call'>) {
    this.#service = service
  }

  /** @throws when the service does not answer them */
  async find(name: string): Promise<UsableSecret | undefined> {
    await this.#fetch(this.#secrets.has(name) ? freshMs : missedMs)
    return this.#secrets.get(name)
  }

  /** @throws when the service does not answer them */
  async list(): Promise<UsableSecret[]> {
    await this.#fetch(missedMs)
    return [...this.#secrets.values()]
  }

  async #fetch(maxAgeMs: number): Promise<void> {
    if (performance.now() - this.#fetchedMs < maxAgeMs) return
    this.#fetching ??= this.#load().finally(() => {
      this.#fetching = undefined
    })
    await this.#fetching
  }

  async #load(): Promise<void> {
    const answer = await this.#service.call<{ secrets: UsableSecret[] }>('files', '/agent/secrets')
    if (!answer.ok) throw new Error(`the service answered ${answer.status} for the secrets`)
    this.#secrets = new Map(answer.body.secrets.map((secret) => [secret.name, secret]))
    this.#fetchedMs = performance.now()
  }
}
