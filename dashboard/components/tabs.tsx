import { Link, usePath, useSearchParameter } from '../router.tsx'

interface TabsProps<T extends string> {
  /** For screen readers. */
  label: string
  /** Labels by name in the address; the first one is the default. */
  tabs: Readonly<Record<T, string>>
}

/** The shown part, by the address: `?tab=log`. */
export function useTab<T extends string>(tabs: Readonly<Record<T, string>>): T {
  // safe because a record's own keys are its names, and a page has at least one part
  const names = Object.keys(tabs) as [T, ...T[]]
  const tab = useSearchParameter('tab')
  return names.find((name) => name === tab) ?? names[0]
}

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
