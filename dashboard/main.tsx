import { QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { Boundary } from './components/boundary.tsx'
import { cache } from './data/cache.ts'

const root = document.getElementById('root')
if (!root) throw new Error('index.html has no #root')
createRoot(root).render(
  <StrictMode>
    <Boundary>
      <QueryClientProvider client={cache}>
        <App />
      </QueryClientProvider>
    </Boundary>
  </StrictMode>,
)
