import * as z from 'zod'
import { type Plan, planById, planIds, plans } from '../billing/plans.ts'
import { conflict } from '../errors.ts'

const format = z.enum(['openai-chat', 'openai-responses', 'anthropic-messages'])

/** Contents of images besides Node, each including the previous ones. */
export const imageFlavours = ['node', 'full', 'browser'] as const
const imageFlavour = z.enum(imageFlavours)
export type ImageFlavour = z.infer<typeof imageFlavour>

/** `agent/runtimes/<name>/manifest.json`. */
export const runtimeManifest = z.strictObject({
  name: z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,30}$/)
    .meta({ example: 'pi' }),
  title: z.string().min(1).max(40).meta({ example: 'pi' }),
  npm: z
    .strictObject({ name: z.string(), version: z.string().regex(/^\d+\.\d+\.\d+$/) })
    .nullable()
    .meta({ description: 'The package it was seen with; null for what is part of the image.' }),
  licence: z.string().meta({ example: 'MIT' }),
  redistributed: z
    .boolean()
    .meta({ description: 'Whether images may carry it; else the operator adds it under its own licence.' }),
  command: z.string().nullable().meta({ description: 'The program that its wrapper runs, found on the path.' }),
  image: imageFlavour.meta({ description: 'The smallest flavour that has what it works with.' }),
  memoryMiB: z
    .int()
    .min(1)
    .meta({ description: 'The memory of a whole machine that runs it, including the supervisor.' }),
  formats: z.array(format).min(1),
  supports: z
    .strictObject({
      text: z
        .enum(['words', 'messages'])
        .meta({ description: 'How a reply appears: word by word, or message by message.' }),
      activity: z
        .enum(['live', 'afterwards'])
        .nullable()
        .meta({ description: 'Whether tool calls are reported at their beginning, or at their end.' }),
      stop: z.boolean(),
      images: z.boolean().meta({ description: 'Whether the model sees images in messages.' }),
      attaches: z.string().nullable().meta({
        example: 'send_file',
        description: 'The model’s tool that attaches a file to the reply; null without one.',
      }),
      questions: z.boolean(),
      unasked: z.boolean().meta({ description: 'Whether it sends unsolicited messages, besides schedules.' }),
      branches: z.boolean().meta({
        description: 'Whether its memory follows the newest branch when a message is replaced by a new version.',
      }),
    })
    .meta({ id: 'RuntimeSupport' }),
})
export type RuntimeManifest = z.infer<typeof runtimeManifest>

/** Undefined when no plan's machine is large enough. */
export const leastPlanFor = ({ memoryMiB }: Pick<RuntimeManifest, 'memoryMiB'>): Plan | undefined =>
  plans.find(({ machine }) => machine.memoryMiB >= memoryMiB)

export const runtime = runtimeManifest
  .pick({ name: true, title: true, licence: true, memoryMiB: true, supports: true })
  .extend({
    version: z.string().nullable().meta({ description: 'The program’s package; null if it is part of the image.' }),
    plan: z.enum(planIds).nullable().meta({ description: 'The cheapest plan with a large enough machine.' }),
    active: z.boolean(),
  })
  .meta({ id: 'Runtime' })

export const showRuntime = (manifest: RuntimeManifest, active: string | undefined): z.infer<typeof runtime> => {
  const { name, title, licence, memoryMiB, supports, npm } = manifest
  const plan = leastPlanFor(manifest)?.id ?? null
  return { name, title, licence, memoryMiB, supports, version: npm?.version ?? null, plan, active: name === active }
}

/** Null if the plan's machine is large enough. */
function tooSmall({ title, memoryMiB }: RuntimeManifest, planId: string): string | null {
  const { name, machine } = planById(planId)
  if (machine.memoryMiB >= memoryMiB) return null
  return `${title} needs a machine with ${memoryMiB} MiB of memory, and ${name}’s has ${machine.memoryMiB}.`
}

/** Checks the present plan and the one of the next period. @throws conflict that names a large enough plan */
export function checkCarries(manifest: RuntimeManifest, planId: string, nextPlanId = planId): void {
  const why = tooSmall(manifest, planId)
  const least = leastPlanFor(manifest)
  if (why) throw conflict(`${why} ${least ? `Take the plan ${least.name} first.` : 'No plan carries it.'}`)
  const later = tooSmall(manifest, nextPlanId)
  if (later) throw conflict(`${later} Your next period begins with that plan. Keep ${planById(planId).name} first.`)
}

/** @throws conflict for a plan that is too small for the chosen program */
export function checkStillCarries(manifest: RuntimeManifest, planId: string): void {
  const why = tooSmall(manifest, planId)
  if (why) throw conflict(`${why} Choose another program as your agent first, then change the plan.`)
}
