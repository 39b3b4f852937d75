// Which of a site's names a certificate is valid for.

/** A wildcard stands for exactly one label (RFC 6125). */
export const covers = (names: readonly string[], host: string): boolean =>
  names.some((name) => {
    if (!name.startsWith('*.')) return name === host
    const dot = host.indexOf('.')
    return dot > 0 && host.slice(dot) === name.slice(1)
  })
