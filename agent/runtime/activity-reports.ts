import type { Activity } from '../../domain/agent/activity.ts'

/** Most of one report, and how long there is between two. */
const most = 20
const betweenMs = 250

/** Tells the user what is done on the way to an answer: in the background, in order, and lost when it cannot be told. */
export class ActivityReports {
  readonly #send: (activities: Activity[]) => Promise<void>
  #waiting: Activity[] = []
  #timer: NodeJS.Timeout | undefined
  #sending: Promise<void> = Promise.resolve()

  constructor(send: (activities: Activity[]) => Promise<void>) {
    this.#send = send
  }

  add(activity: Activity): void {
    this.#waiting.push(activity)
    this.#timer ??= setTimeout(() => void this.flush(), betweenMs)
  }

  /** Resolves when all of it is told. */
  flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const waiting = this.#waiting.splice(0)
    for (let from = 0; from < waiting.length; from += most) {
      const next = waiting.slice(from, from + most)
      this.#sending = this.#sending.then(() => this.#send(next)).catch(() => {})
    }
    return this.#sending
  }
}
