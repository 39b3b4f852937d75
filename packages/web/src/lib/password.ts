// Letters and digits that cannot be mistaken for one another when read aloud or from paper.
const alphabet = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789'

/** A random password; 20 characters of this alphabet hold 116 bits. */
export function generatePassword(length = 20): string {
  const limit = 256 - (256 % alphabet.length)
  let password = ''
  while (password.length < length) {
    for (const byte of crypto.getRandomValues(new Uint8Array(64))) {
      // Bytes above the limit would make the first letters likelier.
      if (byte < limit && password.length < length) password += alphabet[byte % alphabet.length] ?? ''
    }
  }
  return password
}

export const minPasswordLength = 12

export type PasswordStrength = 'short' | 'weak' | 'fair' | 'strong'

/** A hint while typing, by length and variety. The server's rule is the length alone. */
export function passwordStrength(password: string): PasswordStrength {
  if (password.length < minPasswordLength) return 'short'
  const distinct = new Set(password).size
  if (distinct < 6) return 'weak'
  if (password.length >= 18 && distinct >= 10) return 'strong'
  const kinds = [/[a-z]/, /[A-Z]/, /[0-9]/, /[^a-zA-Z0-9]/].filter((kind) => kind.test(password)).length
  return kinds >= 3 && distinct >= 9 ? 'strong' : 'fair'
}
