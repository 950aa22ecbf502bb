import { readFile } from 'node:fs/promises'
import * as z from 'zod'
import { persona } from '../../domain/catalogue/persona.ts'
import type { Catalogue } from '../../domain/catalogue/ports.ts'
import { skillDetail } from '../../domain/catalogue/skill.ts'
import type { Env } from '../env.ts'

const skillFile = skillDetail.shape.files.element.extend({ text: z.string() })
const personaFile = z.object({ path: z.string(), text: z.string() })

const shipped = z.object({
  skills: z.array(skillDetail.omit({ enabled: true }).extend({ files: z.array(skillFile) })),
  personas: z.array(persona.omit({ active: true }).extend({ files: z.array(personaFile) })),
})

/** The skills and personas that were built with this version and ship inside the bundle. */
export const catalogue = (env: Env): Catalogue => {
  let held: Promise<z.infer<typeof shipped>> | undefined
  const read = () => {
    held ??= readFile(env.file('catalogue.json'), 'utf8').then((text) => shipped.parse(JSON.parse(text)))
    return held
  }
  return {
    skills: async () => (await read()).skills,
    personas: async () => (await read()).personas,
  }
}
