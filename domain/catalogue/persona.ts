import * as z from 'zod'

export const persona = z
  .object({
    id: z.string().meta({ example: 'default' }),
    name: z.string(),
    description: z.string(),
    active: z.boolean(),
    version: z.int().min(1),
    builtIn: z.boolean(),
    files: z.array(z.object({ path: z.string(), characters: z.int() })),
  })
  .meta({ id: 'Persona' })
export type Persona = z.infer<typeof persona>

/** The persona every instance starts with and goes back to. */
export const defaultPersona = 'default'

export interface CataloguePersona extends Omit<Persona, 'active' | 'files'> {
  files: { path: string; text: string }[]
}

export const showPersona = ({ files, ...rest }: CataloguePersona, activeId: string): Persona => ({
  ...rest,
  active: rest.id === activeId,
  files: files.map(({ path, text }) => ({ path, characters: text.length })),
})
