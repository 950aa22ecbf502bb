import type * as z from 'zod'
import { type Details, DomainError, invalid } from '../errors.ts'
import { isObject } from './dialect.ts'

/** Longest data URL of one image, in characters, and the images a request may have. */
export const maxImageCharacters = 7_000_000
export const maxImages = 50

/** @throws invalid-json, validation */
export function parseObject(rawBody: string): Record<string, unknown> {
  let parsed: unknown
  try {
    parsed = JSON.parse(rawBody)
  } catch {
    throw new DomainError('invalid-json', 'The body is not valid JSON.')
  }
  if (!isObject(parsed)) throw invalid('body', 'Expected a JSON object.')
  return parsed
}

/** Checks a body against a format's allow-list. @throws validation, keyed by the path of each field */
export function allow<T extends z.ZodType>(schema: T, given: unknown): z.output<T> {
  const result = schema.safeParse(given)
  if (result.success) return result.data
  const found = new Map<string, string[]>()
  for (const issue of result.error.issues) {
    const names = issue.code === 'unrecognized_keys' ? issue.keys : [null]
    for (const name of names) {
      const field = [...issue.path, ...(name === null ? [] : [name])].join('.') || 'body'
      const why = name === null ? issue.message : notAccepted
      found.set(field, [...(found.get(field) ?? []), why])
    }
  }
  const details: Details = Object.fromEntries(found)
  throw new DomainError('validation', `Check these fields: ${Object.keys(details).join(', ')}.`, { details })
}

/** The first field outside the list is refused by name; nulls say nothing and are let through. @throws validation */
export function onlyFields(object: Record<string, unknown>, allowed: ReadonlySet<string>, path: string): void {
  for (const [name, value] of Object.entries(object)) {
    if (value !== null && value !== undefined && !allowed.has(name)) throw refused(`${path}.${name}`)
  }
}

const notAccepted = 'This field is not accepted here. Leave it out.'

export const refused = (field: string, why = notAccepted) => invalid(field, why)

const dataUrl = /^data:image\/(png|jpeg|gif|webp);base64,/

const fileUrl = /^data:(application\/pdf|text\/[\w.+-]+);base64,/

/** Counts the images and files of a request and keeps the images' data out of its text. */
export class Media {
  images = 0
  imageBytes = 0
  files = 0

  /** @throws validation: a remote image has no known size, so no known price */
  addImage(url: unknown, field: string): void {
    if (typeof url !== 'string' || !dataUrl.test(url.slice(0, 64))) {
      throw refused(field, 'Send images as data: URLs (base64 of PNG, JPEG, GIF or WebP); remote ones are not fetched.')
    }
    this.addImageData(url, field)
  }

  addImageData(data: string, field: string): void {
    if (data.length > maxImageCharacters) throw refused(field, 'This image is too large; send at most 5 MB.')
    if (++this.images > maxImages) throw refused(field, `Send at most ${maxImages} images.`)
    this.imageBytes += data.length
  }

  /** @throws validation: a stored or remote file has no known size */
  addFile(data: unknown, field: string): void {
    if (typeof data !== 'string' || !fileUrl.test(data.slice(0, 100))) {
      throw refused(field, 'Send files as data: URLs (base64 of PDF or text); stored and remote ones are not fetched.')
    }
    this.files++
  }
}
