import { Link } from '../router.tsx'

/** The two pages about what the agent knows and how it behaves. */
export function Tabs({ current }: { current: '/skills' | '/personas' }) {
  return (
    <nav className="tabs" aria-label="The agent">
      <Link to="/skills" current={current === '/skills'}>
        Skills
      </Link>
      <Link to="/personas" current={current === '/personas'}>
        Personas
      </Link>
    </nav>
  )
}
