import type { Site } from '@reeve/contract/sites.ts'
import { useMutation } from '@tanstack/react-query'
import { InlineConfirm } from '../components/inline-confirm.tsx'
import { ErrorNotice } from '../components/notice.tsx'
import { Section } from '../components/page.tsx'
import { announce } from '../components/toasts.tsx'
import { useManageReason } from '../lib/access.ts'
import { call } from '../lib/api.ts'
import { strings } from '../lib/strings.ts'

const text = strings.cache

const rotation = (id: string) =>
  ({ method: 'POST', path: `/api/sites/${id}/connector/rotate`, body: {} }) as const

/** The plugin in WordPress that tells the panel what an edit changes, and the token it does that with. */
export function Connector({ site }: { site: Site }) {
  const reason = useManageReason()
  const rotate = useMutation({
    mutationFn: () => call(rotation(site.id)),
    onSuccess: () => announce(text.rotated),
  })
  return (
    <Section title={text.connector}>
      <div className="flex max-w-2xl flex-col gap-3">
        <p className="text-muted">{text.connectorText}</p>
        {rotate.error ? <ErrorNotice error={rotate.error} /> : null}
        <div>
          <InlineConfirm
            label={text.rotate}
            text={text.rotateConfirm}
            yes={text.rotateYes}
            reason={reason}
            busy={rotate.isPending}
            call={() => rotation(site.id)}
            onConfirm={() => rotate.mutate()}
          />
        </div>
      </div>
    </Section>
  )
}
