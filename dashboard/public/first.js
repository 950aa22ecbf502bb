// Runs before everything else: applies the colour scheme, and requests what the page needs in parallel with its code.
;(() => {
  const root = document.documentElement
  root.dataset.theme = localStorage.getItem('theme') ?? 'system'

  const path = location.pathname
  if (path === '/view' || path.startsWith('/view/')) return
  const isSignedIn = localStorage.getItem('signed-in') !== null
  const code = JSON.parse(document.querySelector('meta[name="page-code"]')?.content ?? '{}')
  const page = path === '/' ? (isSignedIn ? 'chat' : 'welcome') : path.slice(1).replaceAll('/', '-')
  for (const href of code[page] ?? []) {
    const link = document.createElement('link')
    link.rel = 'modulepreload'
    link.href = href
    document.head.append(link)
  }

  const reads = ['/api/auth/session']
  if (isSignedIn) reads.push('/api/instance/status')
  if (isSignedIn && page === 'chat' && !location.search) reads.push('/api/chat/messages?conversation=main&limit=50')
  const answers = {}
  for (const url of reads) {
    answers[url] = fetch(url)
    answers[url].catch(() => {}) // Whoever takes the answer handles the failure.
  }
  window.berthEarly = { sentMs: performance.now(), answers }
})()
