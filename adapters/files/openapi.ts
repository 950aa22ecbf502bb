import { readFile } from 'node:fs/promises'
import * as z from 'zod'
import type { OpenapiDocument } from '../../domain/ports.ts'
import type { Env } from '../env.ts'

const document = z.record(z.string(), z.unknown())

/** The document that was built with this version and ships inside the bundle. */
export const openapi = (env: Env): OpenapiDocument => {
  let held: Promise<Record<string, unknown>> | undefined
  return {
    read() {
      held ??= readFile(env.file('openapi.json'), 'utf8').then((text) => document.parse(JSON.parse(text)))
      return held
    },
  }
}
