import { setTimeout as sleep } from 'node:timers/promises'
import type { CannotStartReason } from '../../domain/instance/cannot-start.ts'
import type { SupervisorSettings } from '../kit/environment.ts'
import { type Log, nameOf } from '../kit/log.ts'
import type { Service } from '../kit/service.ts'
import { ConfigFiles } from './config-files.ts'
import { reasonOf } from './start-trouble.ts'

const firstPauseMs = 500
const longestPauseMs = 30_000

interface FirstSync {
  failed(reason: CannotStartReason): Promise<void>
  log: Log
  stopped: AbortSignal
}

/** The files, model and variables that the service configures for this machine. */
export class Configuration {
  readonly #files: ConfigFiles
  model: string
  /** As of this machine's start; undefined before the first sync. */
  variables: Record<string, string> | undefined

  constructor(service: Pick<Service, 'call'>, { volume, model }: Pick<SupervisorSettings, 'volume' | 'model'>) {
    this.#files = new ConfigFiles(service, volume)
    this.model = model
  }

  async sync(): Promise<{ status: number; changed: number }> {
    const { status, changed, model, variables } = await this.#files.sync()
    this.model = model || this.model
    this.variables ??= variables
    return { status, changed }
  }

  /** The runtime needs complete files, so the first sync is retried until it succeeds. */
  async firstSync({ failed, log, stopped }: FirstSync): Promise<void> {
    for (let waitMs = firstPauseMs; !stopped.aborted; waitMs = Math.min(waitMs * 2, longestPauseMs)) {
      const failure = await this.sync().then(
        ({ status, changed }) => (status === 200 ? log('files in place', { changed }) : `HTTP ${status}`),
        (thrown: unknown) => Object(thrown).code ?? nameOf(thrown),
      )
      if (!failure) return
      log('the files could not be fetched, trying again', { because: failure, waitMs })
      await failed(reasonOf(failure, 'configuration'))
      await sleep(waitMs, undefined, { signal: stopped }).catch(() => {})
    }
  }
}
