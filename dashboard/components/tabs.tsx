import { Link, usePath, useSearchParameter } from '../router.tsx'

interface TabsProps<T extends string> {
  /** Names the group for a screen reader. */
  label: string
  /** Name in the address to what it is called; the first one is shown when the address names none. */
  tabs: Readonly<Record<T, string>>
}

/** Which of a page's parts is shown, by the address: `?tab=log`. */
export function useTab<T extends string>(tabs: Readonly<Record<T, string>>): T {
  // safe because a record's own keys are its names, and a page has one part at least
  const names = Object.keys(tabs) as [T, ...T[]]
  const asked = useSearchParameter('tab')
  return names.find((name) => name === asked) ?? names[0]
}

/** Links to the parts of a page, each an address of its own. */
export function Tabs<T extends string>({ label, tabs }: TabsProps<T>) {
  const path = usePath()
  const shown = useTab(tabs)
  return (
    <nav className="tabs" aria-label={label}>
      {Object.entries<string>(tabs).map(([name, text], index) => (
        <Link key={name} to={index === 0 ? path : `${path}?tab=${name}`} current={name === shown}>
          {text}
        </Link>
      ))}
    </nav>
  )
}
