import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { queryClient } from '../lib/queries.ts'
import { strings } from '../lib/strings.ts'
import './app.css'
import { reloadAfterUpdate } from './reload-after-update.ts'
import { router } from './router.ts'

const root = document.getElementById('root')
if (!root) throw new Error(`${strings.product}: index.html has no #root`)

reloadAfterUpdate()

createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
)
