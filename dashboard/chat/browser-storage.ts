/** Unsent text, kept in this browser for each account. */

const prefix = 'chat '

/** Replaces the storage where a browser has none, until the page closes. */
const memory = new Map<string, string>()

const nameOf = (accountId: string, name: string) => `${prefix}${accountId} ${name}`

export function readKept(accountId: string, name: string): string | null {
  const key = nameOf(accountId, name)
  try {
    return localStorage.getItem(key)
  } catch {
    return memory.get(key) ?? null
  }
}

export function keep(accountId: string, name: string, text: string): void {
  const key = nameOf(accountId, name)
  try {
    if (text === '') localStorage.removeItem(key)
    else localStorage.setItem(key, text)
  } catch {
    memory.set(key, text)
  }
}

/** Signing out deletes the user's drafts. */
export function forgetKept(): void {
  memory.clear()
  for (const key of Object.keys(localStorage)) if (key.startsWith(prefix)) localStorage.removeItem(key)
}

/** Calls `changed` when another page of this browser changes the value. @returns a function that stops this */
export function onKept(accountId: string, name: string, changed: () => void): () => void {
  const key = nameOf(accountId, name)
  const handle = (event: StorageEvent) => event.key === key && changed()
  window.addEventListener('storage', handle)
  return () => window.removeEventListener('storage', handle)
}
