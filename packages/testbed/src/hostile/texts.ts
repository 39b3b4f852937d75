// Text that wants to be more than text.

/** Breaks out of an attribute, an element, a script and a template, wherever it is put. */
export const markup = `"'><img src=x onerror=window.hostile=1></script><script>window.hostile=1</script>{{7*7}}`

/** What is left of it in a log of nginx, which writes quotes as `\x22`. */
export const markupInLog = markup.slice(1)

/** Reads "aexe.png" where it is shown as it is; what stands behind it on its line is turned around too. */
export const rightToLeft = 'a\u202egnp.exe'

/** What is shown of it where directions are written out. */
export const writtenOut = String.raw`a\u{202e}gnp.exe`

/** Taken as passwords and codes, which nobody sees again. */
export const secretMarkup = '<img src=x onerror=hostile=1>kept-back'

/** Fits where ten characters are taken. */
export const shortMarkup = '<b>x</b>'

export const texts = [markup, rightToLeft, shortMarkup, secretMarkup] as const
