import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { Boundary } from './components/boundary.tsx'

const root = document.getElementById('root')
if (!root) throw new Error('index.html has no #root')
createRoot(root).render(
  <StrictMode>
    <Boundary fallback={<p role="alert">Something went wrong on this page. Reload it and try again.</p>}>
      <App />
    </Boundary>
  </StrictMode>,
)
