/** The code that draws messages: fetched while they are read, and with no other page. */
export const fetchHistory = () => import('./history.tsx')

if (window.location.pathname === '/') fetchHistory().catch(() => {}) // It is fetched again to be shown.
