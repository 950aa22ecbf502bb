import * as z from 'zod'
import type { OpenapiDocument } from '../../app/ports.ts'
import type { Env } from '../env.ts'
import { bundledJson } from './bundled-json.ts'

export const openapi = (env: Env): OpenapiDocument => ({
  read: bundledJson(env, 'openapi.json', z.record(z.string(), z.unknown())),
})
