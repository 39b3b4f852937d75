/** Compared with package.json in a test, so that the bundle need not carry that file. */
export const version = '0.1.0'
