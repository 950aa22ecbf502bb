import { readFile } from 'node:fs/promises'
import type * as z from 'zod'
import type { Env } from '../env.ts'
import { once } from '../memoize.ts'

/** Reads a file in the bundle once. */
export const bundledJson = <T>(env: Env, name: string, schema: z.ZodType<T>): (() => Promise<T>) =>
  once(() => readFile(env.file(name), 'utf8').then((text) => schema.parse(JSON.parse(text))))
