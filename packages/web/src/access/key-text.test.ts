import { expect, it } from 'vitest'
import { isPrivateKey, shownFingerprint } from './key-text.ts'

it('knows the private half in every format people paste', () => {
  for (const kind of ['OPENSSH PRIVATE KEY', 'RSA PRIVATE KEY', 'PRIVATE KEY', 'ENCRYPTED PRIVATE KEY'])
    expect(isPrivateKey(`-----BEGIN ${kind}-----\nAAAA\n-----END ${kind}-----`), kind).toBe(true)
  expect(isPrivateKey('PuTTY-User-Key-File-3: ssh-ed25519')).toBe(true)
  expect(isPrivateKey('ssh-ed25519 AAAAC3NzaC1lZDI1NTE5 somebody@laptop')).toBe(false)
})

it('writes a fingerprint as ssh-keygen does', () => {
  expect(shownFingerprint('a-b_c')).toBe('SHA256:a+b/c')
})
