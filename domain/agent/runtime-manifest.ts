import * as z from 'zod'
import { type Plan, plans } from '../billing/plans.ts'

/** Formats in which a program makes model calls. */
const format = z.enum(['openai-chat', 'openai-responses', 'anthropic-messages'])

/** What is known of an agent's program that machines can run: `agent/runtimes/<name>/manifest.json`. */
export const runtimeManifest = z
  .strictObject({
    name: z.string().regex(/^[a-z][a-z0-9-]{0,30}$/),
    title: z.string().min(1).max(40),
    npm: z
      .strictObject({ name: z.string(), version: z.string().regex(/^\d+\.\d+\.\d+$/) })
      .nullable()
      .meta({ description: 'The package it was seen with; null for what is part of the image.' }),
    licence: z.string(),
    redistributed: z
      .boolean()
      .meta({ description: 'Whether images may carry it; else the operator adds it under its own licence.' }),
    command: z.string().nullable().meta({ description: 'The program that its wrapper runs, found on the path.' }),
    memoryMiB: z.int().min(1).meta({ description: 'What a whole machine needs that runs it, supervisor included.' }),
    formats: z.array(format).min(1),
    supports: z.strictObject({
      text: z
        .enum(['words', 'messages'])
        .meta({ description: 'How a reply grows: word by word, or as each message is whole.' }),
      activity: z
        .enum(['live', 'afterwards'])
        .nullable()
        .meta({ description: 'Whether tool calls are told as they begin, or when they are over.' }),
      stop: z.boolean(),
      images: z.boolean(),
      questions: z.boolean(),
      unasked: z.boolean().meta({ description: 'Whether it says things that nobody asked for, beside schedules.' }),
    }),
  })
  .meta({ id: 'RuntimeManifest' })
export type RuntimeManifest = z.infer<typeof runtimeManifest>

/** The cheapest plan whose machine carries a runtime; undefined when none does. */
export const leastPlanFor = ({ memoryMiB }: Pick<RuntimeManifest, 'memoryMiB'>): Plan | undefined =>
  plans.find(({ machine }) => machine.memoryMiB >= memoryMiB)
