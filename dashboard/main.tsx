import { QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { cache } from './api/cache.ts'
import { Boundary } from './components/boundary.tsx'
import { loadTexts } from './texts/index.ts'

const root = document.getElementById('root')
if (!root) throw new Error('index.html has no #root')
await loadTexts()
// Only now: what the pages say is read as their modules are.
const { App } = await import('./app.tsx')
createRoot(root).render(
  <StrictMode>
    <Boundary>
      <QueryClientProvider client={cache}>
        <App />
      </QueryClientProvider>
    </Boundary>
  </StrictMode>,
)
