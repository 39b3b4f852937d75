import type { ErrorComponentProps } from '@tanstack/react-router'
import { useRouter } from '@tanstack/react-router'
import { Problem } from '../components/page.tsx'
import { ApiError } from '../lib/api.ts'
import { strings } from '../lib/strings.ts'

export function MissingPage() {
  return <Problem error={new ApiError(404, 'not_found', strings.errors.notFound)} />
}

export function LoadProblem({ error, reset }: ErrorComponentProps) {
  const router = useRouter()
  return (
    <Problem
      error={error}
      onRetry={() => {
        reset()
        void router.invalidate()
      }}
    />
  )
}
