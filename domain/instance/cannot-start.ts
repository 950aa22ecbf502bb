import * as z from 'zod'

export const cannotStartTexts = {
  'volume-full':
    'Your agent cannot start because its volume is full. Delete files you no longer need; the agent starts by itself then.',
  configuration:
    'Your agent cannot start because its machine could not put the configuration in place. The machine keeps trying. If this lasts, restore a restore point or write to support.',
  volume:
    'Your agent cannot start because its machine could not make the volume ready. The machine keeps trying. If this lasts, restore a restore point or write to support.',
  crash:
    'Your agent cannot start because its program ends again and again. The machine keeps starting it, and its log says more. If this lasts, choose another runtime, restore a restore point or write to support.',
  'out-of-memory':
    'Your agent cannot start because its program takes more memory than the machine has, again and again. The machine keeps starting it. A larger plan has more memory.',
} as const
export type CannotStartReason = keyof typeof cannotStartTexts

export const cannotStartReason = z.enum(
  Object.keys(cannotStartTexts) as [CannotStartReason, ...CannotStartReason[]], // safe because these are its keys
)

/** Relevant while the instance has this generation. */
export const cannotStart = z.object({ generation: z.int(), reason: cannotStartReason })
export type CannotStart = z.infer<typeof cannotStart>
