import * as z from 'zod'

// The emulator alone writes its state, so a loaded record has the type that it was saved with.
export const record = <T>() => z.custom<T>((value) => typeof value === 'object' && value !== null)
export const byId = <T>() => z.record(z.string(), record<T>()).default(() => ({}))

export const findById = <T>(records: Readonly<Record<string, T>>, id: string): T | undefined =>
  Object.hasOwn(records, id) ? records[id] : undefined
