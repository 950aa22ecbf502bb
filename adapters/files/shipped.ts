import { readFile } from 'node:fs/promises'
import * as z from 'zod'
import { persona } from '../../domain/catalogue/persona.ts'
import { skillDetail } from '../../domain/catalogue/skill.ts'
import type { Env } from '../env.ts'

const skillFile = skillDetail.shape.files.element.extend({ text: z.string() })
const personaFile = z.object({ path: z.string(), text: z.string() })

const shipped = z.object({
  skills: z.array(
    skillDetail.omit({ enabled: true, changed: true, missing: true }).extend({ files: z.array(skillFile) }),
  ),
  personas: z.array(persona.omit({ active: true, size: true }).extend({ files: z.array(personaFile) })),
})

/** The skills and personas that were built with this version and ship inside the bundle; read once. */
export const shippedCatalogue = (env: Env) => {
  let held: Promise<z.infer<typeof shipped>> | undefined
  return () => {
    held ??= readFile(env.file('catalogue.json'), 'utf8').then((text) => shipped.parse(JSON.parse(text)))
    return held
  }
}
