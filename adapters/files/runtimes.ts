import * as z from 'zod'
import type { Runtimes } from '../../app/ports/instance.ts'
import { runtimeManifest } from '../../domain/instance/runtime.ts'
import type { Env } from '../env.ts'
import { bundledJson } from './bundled-json.ts'

/** All runtimes are in the bundle; the stage says which are offered. */
export const runtimes = (env: Env): Runtimes => {
  const read = bundledJson(env, 'runtimes.json', z.array(runtimeManifest))
  return {
    async offered() {
      const names = env.variable('RUNTIMES').split(',')
      return (await read()).filter(({ name }) => names.includes(name))
    },
  }
}
