/** One write or condition of a store. Only the store's adapters read `write`. */
export interface PartItem {
  readonly write: unknown
  /** The error when this item alone refuses the transaction; a `PartRefused` without it. */
  readonly refusal?: () => Error
}

/** Writes and conditions that a store includes in the transaction of another write. All of them are done, or nothing. */
export interface Part {
  readonly items: readonly PartItem[]
  /** Set by the store after the transaction. A part is written once. */
  isWritten: boolean
}

/** Only this part refused the transaction, so nothing was written. */
export class PartRefused extends Error {
  readonly part: Part

  constructor(part: Part) {
    super('a part of the transaction was refused')
    this.part = part
  }
}

/** Whether `part` refused the transaction of `write`. @throws any other error of `write` */
export async function isRefusedBy(part: Part, write: Promise<unknown>): Promise<boolean> {
  try {
    await write
    return false
  } catch (error) {
    if (error instanceof PartRefused && error.part === part) return true
    throw error
  }
}
