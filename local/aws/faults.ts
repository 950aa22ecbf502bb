import * as z from 'zod'
import { AwsError } from './wire.ts'

/** A failure asked for: the next `times` calls of an action answer it. `StartTask` is the start of a task's program. */
export const fault = z.strictObject({
  service: z.string().default('ecs'),
  action: z.string().min(1),
  code: z.string().default('ServerException'),
  message: z.string().default('asked for'),
  status: z.int().min(400).max(599).default(400),
  times: z.int().min(1).max(1_000).default(1),
  /** Only calls whose text holds this, such as an instance's id. */
  about: z.string().default(''),
})
export type Fault = z.infer<typeof fault>

/** Failures on demand, so that what a cloud does on bad days can be tried on a laptop. */
export class Faults {
  readonly #asked: Fault[] = []

  ask(one: z.input<typeof fault>): void {
    this.#asked.push(fault.parse(one))
  }

  clear(): void {
    this.#asked.length = 0
  }

  /** @throws AwsError when this call was asked to fail */
  meet(service: string, action: string, text: string): void {
    const at = this.#asked.findIndex(
      (one) => one.service === service && one.action === action && text.includes(one.about),
    )
    const found = this.#asked[at]
    if (!found) return
    if (--found.times === 0) this.#asked.splice(at, 1)
    throw new AwsError(found.code, found.message, found.status)
  }
}
