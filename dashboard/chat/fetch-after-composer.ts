import { wasSignedIn } from '../data/early.ts'

/** Lazy import: only the chat draws messages. */
export const fetchAfterComposer = () => import('./after-composer.ts')

// A failed request is repeated when the messages are drawn.
if (window.location.pathname === '/' && wasSignedIn()) fetchAfterComposer().catch(() => {})
