import type { ReactNode } from 'react'
import { Mark } from '../app/mark.tsx'
import { CommandLine } from '../components/copy.tsx'
import { Notice } from '../components/notice.tsx'
import { strings } from '../lib/strings.ts'

/** The frame of the two pages before the shell: setup and sign-in. */
export function EntryCard({
  title,
  lead,
  children,
}: {
  title: string
  lead: ReactNode
  children: ReactNode
}) {
  return (
    <main className="flex min-h-dvh flex-col items-center justify-center gap-6 px-4 py-10">
      <div className="w-full max-w-[400px]">
        <div className="mb-6 flex flex-col items-center gap-4 text-center">
          <Mark size={44} />
          <div>
            <h1 className="text-xl font-semibold tracking-[-0.01em]">{title}</h1>
            <div className="mt-1 text-muted wrap-anywhere">{lead}</div>
          </div>
        </div>
        <InsecureNotice />
        <div className="card p-6">{children}</div>
      </div>
    </main>
  )
}

/** A Secure cookie set over plain HTTP is dropped without a word, unless the host is this machine. */
function InsecureNotice() {
  if (window.isSecureContext) return null
  return (
    <div className="mb-4">
      <Notice tone="attention" title={strings.login.insecureTitle}>
        <p className="mb-2">{strings.login.insecure}</p>
        <CommandLine command={strings.login.insecureCommand(location.hostname)} />
      </Notice>
    </div>
  )
}
