import * as z from 'zod'
import { AwsError } from './protocols.ts'

/** The answer of an action's next `times` calls. `StartTask` is the start of a task's program. */
const fault = z.strictObject({
  service: z.string().default('ecs'),
  action: z.string().min(1),
  code: z.string().default('ServerException'),
  message: z.string().default('injected'),
  status: z.int().min(400).max(599).default(400),
  times: z.int().min(1).max(1_000).default(1),
  /** Only calls whose body holds this text. */
  about: z.string().default(''),
})

export type FaultInput = z.input<typeof fault>

export class FaultInjector {
  readonly #faults: z.infer<typeof fault>[] = []

  add(input: FaultInput): void {
    this.#faults.push(fault.parse(input))
  }

  /** @throws AwsError when a fault was injected for this call */
  check(service: string, action: string, body: string): void {
    const index = this.#faults.findIndex(
      (candidate) => candidate.service === service && candidate.action === action && body.includes(candidate.about),
    )
    const found = this.#faults[index]
    if (!found) return
    if (--found.times === 0) this.#faults.splice(index, 1)
    throw new AwsError(found.code, found.message, found.status)
  }
}
