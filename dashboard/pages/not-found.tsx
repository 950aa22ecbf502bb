import { Link } from '../router.tsx'
import { texts } from '../texts/index.ts'

const words = texts.layout.notFound

export const NotFoundPage = () => (
  <div className="empty">
    <h1>{words.title}</h1>
    <p className="muted">{words.hint}</p>
    <Link to="/" className="button primary">
      {words.toChat}
    </Link>
  </div>
)
