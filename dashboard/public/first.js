// Runs before everything else: applies the colour scheme, and requests what the page needs in parallel with its code.
;(() => {
  document.documentElement.dataset.theme = localStorage.getItem('theme') ?? 'system'

  const path = location.pathname
  if (path === '/view' || path.startsWith('/view/')) return
  const isSignedIn = localStorage.getItem('signed-in') !== null
  const code = JSON.parse(document.querySelector('meta[name="page-code"]')?.content ?? '{}')
  const page = path === '/' ? (isSignedIn ? 'chat' : 'welcome') : path.slice(1).replaceAll('/', '-')
  // Other pages are rare, and may need no session.
  if (!code[page]) return
  for (const href of code[page])
    document.head.append(Object.assign(document.createElement('link'), { rel: 'modulepreload', href }))

  const reads = ['/api/auth/session']
  if (page === 'welcome') reads.push('/api/plans')
  if (isSignedIn) reads.push('/api/instance/status')
  if (isSignedIn && page === 'chat' && !location.search) reads.push('/api/chat/messages?conversation=main&limit=50')
  // The chat of a local service says whether it has a model.
  if (isSignedIn && page === 'chat' && ['127.0.0.1', 'localhost', '[::1]'].includes(location.hostname))
    reads.push('/api/models')
  const answers = {}
  for (const url of reads) {
    answers[url] = fetch(url)
    answers[url].catch(() => {}) // Whoever takes the answer handles the failure.
  }
  window.berthEarly = { sentMs: performance.now(), answers }
})()
