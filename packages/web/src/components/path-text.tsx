import { Fragment } from 'react'

/** A path, address or name that wraps behind its slashes and dots before it is cut within a word. */
export function PathText({ text }: { text: string }) {
  return text.split(/(?<=[/.@])/).map((part, index) => (
    // The parts have no identity but their place.
    <Fragment key={index}>
      {index > 0 ? <wbr /> : null}
      {part}
    </Fragment>
  ))
}
