import { Link } from '../router.tsx'
import { catalogueTexts } from '../texts/catalogue.ts'

export const Tabs = ({ current }: { current: '/skills' | '/personas' }) => (
  <nav className="tabs" aria-label={catalogueTexts.label}>
    <Link to="/skills" current={current === '/skills'}>
      {catalogueTexts.skills.title}
    </Link>
    <Link to="/personas" current={current === '/personas'}>
      {catalogueTexts.personas.title}
    </Link>
  </nav>
)
