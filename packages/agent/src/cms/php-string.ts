import { AppError } from '@reeve/contract/errors.ts'

/**
 * A PHP single-quoted literal. Only backslash and quote mean anything inside one (PHP manual, "Strings"), so
 * every text has a literal; a lone surrogate is no text and is refused.
 */
export function phpString(text: string): string {
  if (!text.isWellFormed()) throw new AppError('refused', 'A value for a PHP file is not valid Unicode text.')
  return `'${text.replace(/[\\']/g, '\\$&')}'`
}
