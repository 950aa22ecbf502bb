import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import * as z from 'zod'
import { type CataloguePersona, defaultPersona, type PersonaFile } from '../../domain/catalogue/persona.ts'
import type { CatalogueSkill } from '../../domain/catalogue/skill.ts'
import { iso } from '../../domain/time.ts'
import { timestamp } from '../../domain/timestamp.ts'

/** A text of words or a list of words: the Agent Skills format writes `allowed-tools` as a text. */
const words = z
  .union([z.string().transform((text) => text.split(/\s+/).filter(Boolean)), z.array(z.string().min(1))])
  .default([])

const list = (what: RegExp, example: string) => words.pipe(z.array(z.string().regex(what, `such as ${example}`)))
const hosts = list(/^[a-z0-9-]+(\.[a-z0-9-]+)+$/, 'api.example.com')
const paths = list(/^\w[\w.-]*(\/[\w.*-]+)*\/?$/, 'workspace/notes')

/** A UTC date or time. The file states it, so that two builds give the same bytes. */
const updated = z
  .string()
  .refine((text) => !Number.isNaN(Date.parse(text)), 'write a date such as 2026-11-21')
  .transform((text) => iso(Date.parse(text)))
  .pipe(timestamp)

/** Front matter of a SKILL.md (agentskills.io), with the metadata that this catalogue requires. */
const frontMatter = z.strictObject({
  name: z
    .string()
    .max(64)
    .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'lower-case words joined by hyphens'),
  description: z.string().min(1).max(1024),
  license: z.string().min(1),
  compatibility: z.string().max(500).optional(),
  'allowed-tools': words,
  metadata: z.object({
    version: z.string().regex(/^\d+\.\d+(\.\d+)?$/, 'write it as text, such as "1.0.0"'),
    updated,
    requires: z.strictObject({ env: words, bins: words }).default({ env: [], bins: [] }),
    access: z
      .strictObject({ network: hosts, reads: paths, writes: paths })
      .default({ network: [], reads: [], writes: [] }),
  }),
})

const personaFile = z.strictObject({
  name: z.string().min(1).max(100),
  description: z.string().min(1).max(1024),
  version: z.int().min(1).default(1),
})

/**
 * The built-in skills and personas below `folder`, ordered by id; both empty without such a folder.
 * @throws an error that names the file and the problem
 */
export function readCatalogue(folder: string): { skills: CatalogueSkill[]; personas: CataloguePersona[] } {
  if (!existsSync(folder)) return { skills: [], personas: [] }
  const skills = foldersIn(join(folder, 'skills')).map((id) => readSkill(join(folder, 'skills', id), id))
  const personas = foldersIn(join(folder, 'personas')).map((id) => readPersona(join(folder, 'personas', id), id))
  if (!personas.some(({ id }) => id === defaultPersona))
    throw new Error(`${join(folder, 'personas', defaultPersona)}: every instance starts with this persona. Add it.`)
  return { skills, personas }
}

function readSkill(folder: string, id: string): CatalogueSkill {
  const files = filesIn(folder)
  const main = join(folder, 'SKILL.md')
  const [, head, body] = /^---\r?\n([\s\S]*?)\r?\n---\r?\n?([\s\S]*)$/.exec(textOf(files, 'SKILL.md', folder)) ?? []
  if (head === undefined || body === undefined) throw new Error(`${main}: it must begin with front matter between ---.`)
  const about = check(frontMatter, head, main)
  const { name, description, license, metadata, 'allowed-tools': allowedTools } = about
  if (name !== id) throw new Error(`${main}: name is "${name}", but the folder is "${id}". They must be the same.`)
  if (body.trim() === '') throw new Error(`${main}: there is nothing below the front matter.`)
  return {
    id,
    name,
    description,
    version: metadata.version,
    license,
    sha256: hashOfAll(files),
    requires: metadata.requires,
    compatibility: about.compatibility ?? null,
    allowedTools,
    access: metadata.access,
    size: files.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0),
    updatedAt: metadata.updated,
    body: body.trim(),
    files: files.map(({ path, text }) => ({ path, size: Buffer.byteLength(text), sha256: sha256(text), text })),
  }
}

function readPersona(folder: string, id: string): CataloguePersona {
  const all = filesIn(folder)
  const about = check(personaFile, textOf(all, 'persona.yaml', folder), join(folder, 'persona.yaml'))
  const files = all.filter(({ path }) => path !== 'persona.yaml')
  const other = files.find(({ path }) => !/^[\w-]+\.md$/.test(path))
  if (other) throw new Error(`${join(folder, other.path)}: a persona holds persona.yaml and .md files only.`)
  if (files.length === 0) throw new Error(`${folder}: a persona needs at least one .md file, such as SOUL.md.`)
  return { id, ...about, builtIn: true, copiedFrom: null, files }
}

/** `path` is relative to the skill or persona, with slashes. */
type TextFile = PersonaFile

/** SHA-256 over each file's path, length and bytes, in path order; the lengths prevent collisions. */
function hashOfAll(files: TextFile[]): string {
  const hash = createHash('sha256')
  for (const { path, text } of files) hash.update(`${path}\0${Buffer.byteLength(text)}\0${text}`)
  return hash.digest('hex')
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

function check<T extends z.ZodType>(schema: T, yaml: string, path: string): z.output<T> {
  let value: unknown
  try {
    value = parse(yaml)
  } catch (error) {
    throw new Error(`${path}: this is not YAML: ${error instanceof Error ? error.message : error}`)
  }
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const problems = result.error.issues.map((issue) => `${issue.path.join('.') || 'all of it'}: ${issue.message}`)
  throw new Error(`${path}: ${problems.join('; ')}`)
}

function textOf(files: TextFile[], path: string, folder: string): string {
  const found = files.find((file) => file.path === path)
  if (!found) throw new Error(`${join(folder, path)} is missing.`)
  return found.text
}

function foldersIn(folder: string): string[] {
  if (!existsSync(folder)) return []
  const entries = readdirSync(folder, { withFileTypes: true })
  return entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : [])).sort()
}

function filesIn(folder: string, below = ''): TextFile[] {
  const entries = readdirSync(join(folder, below), { withFileTypes: true })
  const files = entries.flatMap((entry): TextFile[] => {
    const path = `${below}${entry.name}`
    if (!/^\w[\w.-]*$/.test(entry.name))
      throw new Error(`${join(folder, path)}: use letters, digits, . _ and - in names.`)
    if (entry.isDirectory()) return filesIn(folder, `${path}/`)
    if (!entry.isFile()) throw new Error(`${join(folder, path)}: only files and folders belong in the catalogue.`)
    return [{ path, text: readText(join(folder, path)) }]
  })
  return files.sort((a, b) => (a.path < b.path ? -1 : 1))
}

function readText(path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(readFileSync(path))
  } catch {
    throw new Error(`${path}: it is not UTF-8 text.`)
  }
}
