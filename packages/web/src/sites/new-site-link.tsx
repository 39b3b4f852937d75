import { Link } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { Button } from '../components/button.tsx'
import { useManageReason } from '../lib/access.ts'
import { strings } from '../lib/strings.ts'

/** The way to a new site; when it cannot be taken it says why instead of vanishing. */
export function NewSiteLink({ label = strings.shell.newSite }: { label?: string }) {
  const reason = useManageReason()
  const content = (
    <>
      <Plus aria-hidden size={16} />
      {label}
    </>
  )
  if (reason !== undefined) {
    return (
      <Button look="primary" reason={reason} tipSide="end">
        {content}
      </Button>
    )
  }
  return (
    <Link to="/sites/new" search={{}} className="button button-primary">
      {content}
    </Link>
  )
}
