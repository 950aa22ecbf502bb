import { type Hands, runErrand } from './errands.ts'
import type { Log } from './log.ts'
import type { Answer, Service } from './service.ts'
import { asObject, asText } from './shapes.ts'

/** The lease of a task is renewed this often while it is done, ms. */
const renewMs = 20_000

/** The task an answer of /agent/prompt brings, if it brings one. */
export function taskIn({ status, body }: Answer): Record<string, unknown> | null {
  const task = asObject(asObject(body).task)
  return status === 200 && asText(task.id) ? task : null
}

/** Does a task to its end, renews its lease meanwhile, and tells how it went. */
export async function performTask(
  service: Service,
  task: Record<string, unknown>,
  hands: (taskId: string) => Hands,
  log: Log,
): Promise<void> {
  const taskId = asText(task.id)
  const errand = asObject(task.errand)
  const tell = (more: object) => service.call('agent', '/agent/observe', { body: { kind: 'task', taskId, ...more } })
  const renewal = setInterval(() => void tell({}).catch(() => {}), renewMs)
  try {
    const outcome = await runErrand(errand, hands(taskId))
    log('task done', { taskId, kind: asText(errand.kind), ok: 'result' in outcome })
    await reported(() => tell(outcome))
  } finally {
    clearInterval(renewal)
  }
}

/** Something is told until somebody has heard it. */
export async function reported(tell: () => Promise<Answer>): Promise<void> {
  for (let tried = 0; tried < 6; tried++) {
    const { status } = await tell().catch(() => ({ status: 0 }))
    if (status !== 0 && status !== 429 && status < 500) return
    await new Promise((resolve) => setTimeout(resolve, 500 * 2 ** tried))
  }
}
