import { Button } from '../components/button.tsx'
import { strings } from '../lib/strings.ts'

interface AvailableVersionsProps {
  /** Those that the server named when it refused another; none when it did not. */
  versions: readonly string[] | undefined
  onChoose: (version: string) => void
}

export function AvailableVersions({ versions, onChoose }: AvailableVersionsProps) {
  if (!versions) return null
  return (
    <p className="mt-2 flex flex-wrap items-center gap-2 text-sm">
      {strings.newSite.availableVersions}
      {versions.map((version) => (
        <Button key={version} onClick={() => onChoose(version)}>
          {version}
        </Button>
      ))}
    </p>
  )
}
