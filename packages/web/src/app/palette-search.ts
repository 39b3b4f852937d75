export interface PaletteEntry {
  id: string
  label: string
  group: string
  run: () => unknown
}

/** Lower is better; undefined when the words do not occur in order. */
export function score(label: string, words: string): number | undefined {
  const text = label.toLowerCase()
  const needle = words.trim().toLowerCase()
  const at = text.indexOf(needle)
  if (at === 0) return 0
  if (at > 0) return /[^a-z0-9]/.test(text[at - 1] ?? '') ? 1 : 2
  let from = 0
  for (const letter of needle) {
    if (letter === ' ') continue
    const found = text.indexOf(letter, from)
    if (found === -1) return undefined
    from = found + 1
  }
  return 3
}

const shownEntries = 50

/** Best match first; entries that match alike keep their order. */
export function rankEntries(entries: readonly PaletteEntry[], words: string): PaletteEntry[] {
  if (words.trim() === '') return entries.slice(0, shownEntries)
  return entries
    .flatMap((entry) => {
      const rank = score(entry.label, words)
      return rank === undefined ? [] : [{ entry, rank }]
    })
    .sort((a, b) => a.rank - b.rank)
    .slice(0, shownEntries)
    .map(({ entry }) => entry)
}
