import type { Service } from './service.ts'

const everyMs = 500
/** The lease is prolonged this often even when there is nothing new to show. */
const renewMs = 30_000

/** Tells the service what is being written, at most every 500 ms, and keeps the prompt's lease alive. */
export interface Progress {
  show(text: string): void
  stop(): void
}

export function startProgress(service: Service, promptId: string, maxCharacters: number): Progress {
  let text = ''
  let told = ''
  let toldMs = Date.now()
  let busy = false

  async function tell(): Promise<void> {
    const now = Date.now()
    if (busy || (text === told && now - toldMs < renewMs)) return
    busy = true
    const changed = text !== told
    told = text
    toldMs = now
    // A report that is lost costs nothing: the reply decides.
    await service
      .post('/agent/observe', { kind: 'progress', promptId, ...(changed && told && { text: told }) })
      .catch(() => {})
    busy = false
  }

  const timer = setInterval(() => void tell(), everyMs)
  return {
    show: (next) => {
      text = next.slice(0, maxCharacters)
    },
    stop: () => clearInterval(timer),
  }
}
