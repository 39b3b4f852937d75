// What is pasted as a public key, and how a fingerprint is written.

/** PEM, PKCS#8, OpenSSH's own and PuTTY's format of the half that must stay where it is. */
export const isPrivateKey = (text: string): boolean =>
  /-----BEGIN [A-Z ]*PRIVATE KEY-----|PuTTY-User-Key-File/.test(text)

/** As `ssh-keygen -l` prints it; the contract carries it in the alphabet of addresses. */
export const shownFingerprint = (fingerprint: string): string =>
  `SHA256:${fingerprint.replaceAll('-', '+').replaceAll('_', '/')}`
