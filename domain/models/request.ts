import type * as z from 'zod'
import { type Details, DomainError, invalid } from '../errors.ts'
import { explainIssue } from '../validation.ts'
import { isObject, type ModelCall, utf8Length } from './api-format.ts'
import { maxImageCharacters, maxImages } from './call-limits.ts'

/** Parses a body and checks it against a format's allow-list. @throws invalid-json, validation keyed by path */
export function parseBody<T extends z.ZodType>(schema: T, rawBody: string): z.output<T> {
  let body: unknown
  try {
    body = JSON.parse(rawBody)
  } catch {
    throw new DomainError('invalid-json', 'The body is not valid JSON.')
  }
  if (!isObject(body)) throw invalid('body', 'Expected a JSON object.')
  const result = schema.safeParse(body, { error: explainIssue })
  if (result.success) return result.data
  const reasons = new Map<string, string[]>()
  for (const issue of result.error.issues) {
    const unknown = issue.code === 'unrecognized_keys'
    for (const name of unknown ? issue.keys : [null]) {
      const field = [...issue.path, ...(name === null ? [] : [name])].join('.') || 'body'
      reasons.set(field, [...(reasons.get(field) ?? []), unknown ? notAccepted : issue.message])
    }
  }
  const details: Details = Object.fromEntries(reasons)
  throw new DomainError('validation', `Check these fields: ${Object.keys(details).join(', ')}.`, { details })
}

const notAccepted = 'This field is not accepted here. Leave it out.'

export const invalidField = (field: string, why = notAccepted) => invalid(field, why)

const isGiven = (value: unknown): boolean => value !== null && value !== undefined

/** The first field outside the list is refused by name; nulls say nothing and are let through. @throws validation */
export function refuseOtherFields(object: Record<string, unknown>, allowed: readonly string[], path: string): void {
  for (const [name, value] of Object.entries(object)) {
    if (isGiven(value) && !allowed.includes(name)) throw invalidField(`${path}.${name}`)
  }
}

/** The fields, beside `type`, that an object of each type may have. */
export type FieldsByType = Readonly<Record<string, readonly string[]>>

/** An object of a known type with its type's fields only; `accepted` ends the sentence that refuses others. @throws validation */
export function readTyped(
  value: unknown,
  path: string,
  fieldsByType: FieldsByType,
  accepted = 'parts are accepted.',
): Record<string, unknown> {
  if (!isObject(value)) throw invalidField(path, 'Expected an object with a type.')
  const type = String(value.type)
  const allowed = Object.hasOwn(fieldsByType, type) ? fieldsByType[type] : undefined
  if (!allowed) throw invalidField(`${path}.type`, `Only ${Object.keys(fieldsByType).join(', ')} ${accepted}`)
  refuseOtherFields(value, ['type', ...allowed], path)
  return value
}

/** The fields to send on as they came: all that say something but those that are ours to write. */
export const passedOn = (asked: object, ours: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(Object.entries(asked).filter(([name, value]) => isGiven(value) && !ours.includes(name)))

/** What every format's request says alike. */
export const commonFacts = (
  rawBody: string,
  asked: { model?: string | null; stream?: boolean | null; tools?: readonly unknown[] | null },
  { images, imageBytes, files }: Media,
): Pick<ModelCall, 'model' | 'stream' | 'textBytes' | 'images' | 'files' | 'tools'> => ({
  model: asked.model ?? 'default',
  stream: asked.stream === true,
  textBytes: utf8Length(rawBody) - imageBytes,
  images,
  files,
  tools: (asked.tools?.length ?? 0) > 0,
})

const imageUrl = /^data:image\/(png|jpeg|gif|webp);base64,/
const fileUrl = /^data:(application\/pdf|text\/[\w.+-]+);base64,/

/** Counts the images and files of a request and keeps the images' data out of its text. */
export class Media {
  images = 0
  imageBytes = 0
  files = 0

  /** @throws validation: a remote image has no known size, so no known price */
  addImage(url: unknown, field: string): void {
    if (typeof url !== 'string' || !imageUrl.test(url.slice(0, 64))) {
      const why = 'Send images as data: URLs (base64 of PNG, JPEG, GIF or WebP); remote ones are not fetched.'
      throw invalidField(field, why)
    }
    this.addImageData(url, field)
  }

  addImageData(data: string, field: string): void {
    if (data.length > maxImageCharacters) throw invalidField(field, 'This image is too large; send at most 5 MB.')
    if (++this.images > maxImages) throw invalidField(field, `Send at most ${maxImages} images.`)
    this.imageBytes += data.length
  }

  /** @throws validation: a stored or remote file has no known size */
  addFile(data: unknown, field: string): void {
    if (typeof data !== 'string' || !fileUrl.test(data.slice(0, 100))) {
      const why = 'Send files as data: URLs (base64 of PDF or text); stored and remote ones are not fetched.'
      throw invalidField(field, why)
    }
    this.files++
  }
}
