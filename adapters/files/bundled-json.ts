import { readFile } from 'node:fs/promises'
import type * as z from 'zod'
import type { Env } from '../env.ts'
import { once } from '../memoize.ts'

/** A reader of a file that was built with this version and ships inside the bundle; it is read once. */
export const bundledJson = <T>(env: Env, name: string, schema: z.ZodType<T>): (() => Promise<T>) =>
  once(() => readFile(env.file(name), 'utf8').then((text) => schema.parse(JSON.parse(text))))
