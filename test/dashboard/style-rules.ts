/** A rule of a stylesheet: its layer, and its selectors from the outermost rule to its own. */
interface StyleRule {
  layer: string | null
  selectors: string[]
}

/** Reads the style rules of a built stylesheet, which is valid CSS. Rules within `@keyframes` are left out. */
export function styleRules(css: string): StyleRule[] {
  const rules: StyleRule[] = []
  const open: string[] = []
  const source = css.replaceAll(/\/\*.*?\*\//gs, '')
  let from = 0
  for (const { index, 0: mark } of source.matchAll(/"(?:\\.|[^"\\])*"|[{};]/gs)) {
    if (mark.startsWith('"')) continue
    const prelude = source.slice(from, index).trim()
    from = index + 1
    if (mark === '{') {
      open.push(prelude)
      if (!prelude.startsWith('@') && !open.some((each) => each.startsWith('@keyframes'))) rules.push(ruleOf(open))
    } else if (mark === '}') open.pop()
  }
  return rules
}

const ruleOf = (open: readonly string[]): StyleRule => ({
  layer: open.flatMap((prelude) => /^@layer (.+)/.exec(prelude)?.[1] ?? [])[0] ?? null,
  selectors: open.filter((prelude) => !prelude.startsWith('@')),
})

/** The selectors of a list, split at its outer commas. */
export function splitList(list: string): string[] {
  const parts: string[] = ['']
  let depth = 0
  for (const character of list) {
    if (character === '(') depth++
    if (character === ')') depth--
    if (character === ',' && depth === 0) parts.push('')
    else parts[parts.length - 1] += character
  }
  return parts.map((part) => part.trim())
}

/** The names of the classes in a selector. */
export const classesIn = (selector: string): string[] =>
  [...selector.replaceAll(/"[^"]*"/g, '').matchAll(/\.([a-z][\w-]*)/gi)].map(([, name = '']) => name)
