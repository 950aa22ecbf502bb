import { Link } from '../router.tsx'

export function NotFoundPage() {
  return (
    <div className="empty">
      <h1>There is no such page</h1>
      <p className="muted">The address may be mistyped or old.</p>
      <Link to="/" className="button primary">
        Go to the chat
      </Link>
    </div>
  )
}
