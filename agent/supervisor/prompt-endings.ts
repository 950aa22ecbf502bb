import type { Feedback } from '../../domain/agent/observation.ts'
import type { Log } from '../kit/log.ts'
import type { Service } from '../kit/service.ts'
import type { RuntimeReports } from './runtime-reports.ts'
import type { TaskPoller } from './task-poller.ts'

/** Sent to the user in place of a reply that the service refuses. */
const undeliverable = 'I had an answer, but it could not be delivered. Please ask me again, perhaps for a shorter one.'

/** Closes prompts that the runtime does not close itself. */
export class PromptEndings {
  readonly #service: Pick<Service, 'call' | 'observe'>
  readonly #reports: Pick<RuntimeReports, 'answered'>
  readonly #log: Log

  constructor(service: Pick<Service, 'call' | 'observe'>, reports: Pick<RuntimeReports, 'answered'>, log: Log) {
    this.#service = service
    this.#reports = reports
    this.#log = log
  }

  closeStopped(promptId: string): Promise<void> {
    return this.#close({ promptId, outcome: 'stopped' })
  }

  /** Closes a prompt whose reply is refused: the runtime would retry forever and answer nobody else. */
  async closeRefused(promptId: string): Promise<void> {
    const { ok } = await this.#service.observe({
      kind: 'reply',
      promptId,
      text: undeliverable,
      outcome: 'failed',
    })
    // If the service refuses this reply too, the runtime's own may succeed later.
    if (!ok) return
    this.#log('a reply was refused for good', { promptId })
    await this.#close({ promptId, outcome: 'failed', note: 'The service refused the reply.' })
  }

  /** Answers waiting prompts with this text while the agent cannot start. */
  async answerAll(text: string, poller: Pick<TaskPoller, 'poll'>, stopped: AbortSignal): Promise<void> {
    for (;;) {
      const answer = await poller.poll(0, stopped)
      const promptId = answer?.ok ? answer.body.prompt?.id : undefined
      if (!promptId) return
      await this.#service.observe({ kind: 'reply', promptId, text, outcome: 'failed' })
      await this.#close({ promptId, outcome: 'failed' })
    }
  }

  async #close(feedback: Feedback): Promise<void> {
    const report = { path: '/agent/feedback', promptId: feedback.promptId }
    const { status } = await this.#service.call('agent', report.path, { body: feedback })
    this.#reports.answered(report, status)
  }
}
