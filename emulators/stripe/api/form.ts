/** A value of a form in Stripe's notation, before anything is known of its type. */
type FormValue = string | FormValue[] | { [key: string]: FormValue }

type Node = Map<string, Node | string>

/** `a[b][0]=x&a[b][1]=y` → `{ a: { b: ['x', 'y'] } }`. */
export function parseForm(text: string): Record<string, FormValue> {
  const root: Node = new Map()
  for (const [key, value] of new URLSearchParams(text)) {
    const path = [key.replace(/\[.*$/, ''), ...[...key.matchAll(/\[([^\]]*)\]/g)].map((match) => match[1] ?? '')]
    place(root, path, value)
  }
  return Object.fromEntries([...root].map(([key, value]) => [key, finish(value)]))
}

function place(node: Node, [first = '', ...rest]: string[], value: string): void {
  // `list[]=a&list[]=b`: each goes to the next place.
  const key = first === '' ? String(node.size) : first
  if (rest.length === 0) {
    node.set(key, value)
    return
  }
  const next = node.get(key)
  const inner: Node = next instanceof Map ? next : new Map()
  node.set(key, inner)
  place(inner, rest, value)
}

function finish(value: Node | string): FormValue {
  if (typeof value === 'string') return value
  const entries = [...value].map(([key, inner]) => [key, finish(inner)] as const)
  if (entries.length > 0 && entries.every(([key], index) => key === String(index)))
    return entries.map(([, inner]) => inner)
  return Object.fromEntries(entries)
}
