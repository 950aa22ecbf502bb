import * as z from 'zod'
import { conflict, DomainError, invalid, notFound } from '../errors.ts'
import { name } from '../name.ts'
import { text } from '../text-schema.ts'
import { timestamp } from '../timestamp.ts'
import { maxIdCharacters } from './persona-id.ts'
import { estimateTokens, maxFileCharacters, maxFiles, maxPersonaCharacters, maxPersonas } from './persona-limits.ts'

const size = z.object({ characters: z.int(), tokens: z.int().meta({ description: 'An estimate.' }) })

export const persona = z
  .object({
    id: z.string().meta({ example: 'default' }),
    name: z.string().meta({ description: 'Its name, in any script; the id stays when the name changes.' }),
    description: z.string(),
    active: z.boolean(),
    version: z.int().min(1),
    builtIn: z.boolean(),
    copiedFrom: z
      .string()
      .nullable()
      .meta({ description: 'The id of the persona that it was copied from.', example: 'default' }),
    files: z.array(size.extend({ path: z.string() })),
    size: size.extend({
      maxCharacters: z.int().meta({ description: 'The maximum number of characters that the agent reads.' }),
    }),
  })
  .meta({ id: 'Persona' })
export type Persona = z.infer<typeof persona>

export const defaultPersona = 'default'

export interface CataloguePersona extends Omit<Persona, 'active' | 'files' | 'size'> {
  files: PersonaFile[]
}

const personaFile = z.strictObject({
  path: z
    .string()
    .regex(/^[\w-]{1,60}\.md$/, 'use a name such as SOUL.md')
    .meta({ example: 'SOUL.md' }),
  text: text().trim().min(1).max(maxFileCharacters),
})

const personaText = {
  name: name('Give the persona a name.').meta({ example: 'Night editor' }),
  description: text().trim().max(1024).default('').meta({ example: 'Edits what I wrote during the day.' }),
  files: z.array(personaFile).min(1).max(maxFiles),
}

const ownPersonaId = z
  .string()
  .max(maxIdCharacters)
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'lower-case words joined by hyphens')
  .meta({ example: 'night-editor' })

export const personaDraft = z.strictObject({
  id: ownPersonaId,
  ...personaText,
  basedOn: z.int().min(0).meta({
    description: 'The version that was edited; 0 for a new persona. The request gets 409 if it is not the newest.',
    example: 0,
  }),
  copiedFrom: z
    .string()
    .max(100)
    .optional()
    .meta({ description: 'The id of the persona that a new one is a copy of.', example: 'default' }),
})
type PersonaDraft = z.infer<typeof personaDraft>

/** A version never changes. */
export const personaVersion = z.object({
  id: ownPersonaId,
  name: z.string(),
  description: z.string(),
  version: z.int().min(1),
  savedAt: timestamp,
  files: z.array(z.object({ path: z.string(), text: z.string() })),
  copiedFrom: z.string().nullable().default(null),
})
export type PersonaVersion = z.infer<typeof personaVersion>
export type PersonaFile = PersonaVersion['files'][number]

export interface PersonaChoices {
  personas: PersonaVersion[]
}

export const sizeOf = (files: PersonaFile[]): z.infer<typeof size> => ({
  characters: files.reduce((sum, { text }) => sum + text.length, 0),
  tokens: files.reduce((sum, { text }) => sum + estimateTokens(text), 0),
})

export const allPersonas = (shipped: CataloguePersona[], { personas }: PersonaChoices): CataloguePersona[] => [
  ...shipped,
  ...personas.map(({ savedAt: _, ...own }) => ({ ...own, builtIn: false })),
]

export const showPersona = ({ files, ...rest }: CataloguePersona, activeId: string): Persona => ({
  ...rest,
  active: rest.id === activeId,
  files: files.map(({ path, text }) => ({ path, ...sizeOf([{ path, text }]) })),
  size: { ...sizeOf(files), maxCharacters: maxPersonaCharacters },
})

/** If the active persona is gone, the default one is active. */
export function showPersonas(all: CataloguePersona[], activeId: string | undefined): Persona[] {
  const active = all.some(({ id }) => id === activeId) ? activeId : defaultPersona
  return all.map((each) => showPersona(each, active ?? defaultPersona))
}

/** @throws not-found */
export function personaById(all: CataloguePersona[], id: string): CataloguePersona {
  const found = all.find((each) => each.id === id)
  if (!found) throw notFound('persona')
  return found
}

/** @throws conflict for a built-in persona, an outdated edit, or too many personas; validation when it is too long */
export function nextVersion(
  { basedOn, copiedFrom, ...draft }: PersonaDraft,
  shipped: CataloguePersona[],
  own: PersonaVersion[],
  at: string,
): PersonaVersion {
  if (shipped.some(({ id }) => id === draft.id))
    throw conflict('This persona is built in. Save your own under another id.')
  const present = own.find(({ id }) => id === draft.id)
  const newest = present?.version ?? 0
  if (basedOn !== newest) throw savedMeanwhile(basedOn, newest)
  if (!present && own.length >= maxPersonas)
    throw conflict(`There are ${maxPersonas} personas already. Edit one of them.`)
  const { characters } = sizeOf(draft.files)
  if (characters > maxPersonaCharacters)
    throw invalid('files', `together they have ${characters} characters; the maximum is ${maxPersonaCharacters}.`)
  if (new Set(draft.files.map(({ path }) => path)).size < draft.files.length)
    throw invalid('files', 'two of them have the same path.')
  return {
    ...draft,
    version: newest + 1,
    savedAt: at,
    copiedFrom: present ? present.copiedFrom : (copiedFrom ?? null),
  }
}

/** @throws conflict for a built-in persona; not-found */
export function ownPersona(id: string, shipped: CataloguePersona[], own: PersonaVersion[]): PersonaVersion {
  if (shipped.some((each) => each.id === id))
    throw conflict('A built-in persona cannot be deleted. Deactivate it to return to the default persona.')
  const found = own.find((each) => each.id === id)
  if (!found) throw notFound('persona of your own')
  return found
}

/** Names both versions, so that nothing of either is lost; 0 for none. */
export const savedMeanwhile = (basedOn: number, newest: number) =>
  new DomainError(
    'conflict',
    `Version ${basedOn} was edited, but the newest is ${newest}. Compare them, then save again.`,
    { details: { basedOn: [`${basedOn}`], newest: [`${newest}`] } },
  )

export const deletedTooLate = () => conflict('The persona was saved in the meantime. Read it again, then retry.')
