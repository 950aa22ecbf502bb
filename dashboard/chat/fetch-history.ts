import { wasSignedIn } from '../api/early.ts'

/** Lazy import: only the chat draws messages. */
export const fetchHistory = () => import('./history.tsx')

if (window.location.pathname === '/' && wasSignedIn()) fetchHistory().catch(() => {}) // It is fetched again to be shown.
