// Chromium as a person at the panel uses it: watched for script errors and policy violations, and able to reach
// the hosted sites by their names. Nothing but this machine is reachable from it.
import { setTimeout } from 'node:timers/promises'
import { type Browser, type BrowserContextOptions, chromium, type Page } from '@playwright/test'
import axe from 'axe-core'
import type { Panel } from './panel.ts'

/** `server` is the address that the names of hosted sites, and of an installed panel, lead to. */
export async function openBrowser(server = '127.0.0.1'): Promise<Browser> {
  return chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      // Every hosted site of a test is below example.com. Any other name, gravatar.com for one, stays unknown.
      `--host-resolver-rules=MAP *.example.com ${server}, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1`,
    ],
  })
}

export interface Visitor {
  page: Page
  /** What went wrong on the panel's pages: script errors, console errors, policy violations, missing assets. */
  problems: string[]
}

/** A browser profile of its own. `panel` is the origin whose pages are watched. */
export async function newVisitor(
  browser: Browser,
  panel: string,
  options: BrowserContextOptions = {},
): Promise<Visitor> {
  const context = await browser.newContext({
    baseURL: panel,
    ignoreHTTPSErrors: true,
    viewport: { width: 1440, height: 900 },
    ...options,
  })
  // A deadline for what never comes, not a measure of speed: other tests may have the processor.
  context.setDefaultTimeout(45_000)
  await context.addInitScript({ content: reportPolicyViolations })
  const page = await context.newPage()
  return { page, problems: watch(page, panel) }
}

// A string, because it runs in the page: this package is compiled without the types of the DOM.
const reportPolicyViolations = `document.addEventListener('securitypolicyviolation', (event) => {
  console.error('policy violation: ' + event.effectiveDirective + ' ' + event.blockedURI)
})`

function watch(page: Page, panel: string): string[] {
  const problems: string[] = []
  const isPanel = () => page.url().startsWith(panel)
  page.on('console', (message) => {
    if (message.type() !== 'error' || !isPanel()) return
    // Chromium logs every refused request like this. Those of the API are answers; the others are told below.
    if (message.text().startsWith('Failed to load resource')) return
    problems.push(`${page.url()}: ${message.text()}`)
  })
  page.on('pageerror', (error) => {
    if (isPanel()) problems.push(`${page.url()}: ${error.stack ?? error.message}`)
  })
  page.on('response', (response) => {
    const url = new URL(response.url())
    if (url.origin === panel && !url.pathname.startsWith('/api/') && response.status() >= 400)
      problems.push(`${url.pathname} answered ${response.status()}`)
  })
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url())
    if (isPanel() && !request.isNavigationRequest() && protocol.startsWith('http') && origin !== panel)
      problems.push(`${page.url()} asked ${origin} for something`)
  })
  return problems
}

// A change of theme fades; axe would measure the colours of the moment.
// A transition of what is no longer shown never ends, and a tab behind another one paints no frame: so not for ever.
const settle = `Promise.race([
  new Promise((done) => setTimeout(done, 3000)),
  new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))).then(() =>
    Promise.allSettled(
      document.getAnimations().filter((a) => a instanceof CSSTransition).map((a) => a.finished),
    ),
  ),
]).then(() => undefined)`

const wcag = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']
// What passes is not described: most of the time would go into that.
const runAxe = `axe.run(${JSON.stringify({ runOnly: wcag, resultTypes: ['violations'] })}).then((found) => found.violations)`

/** What axe finds against WCAG 2.2 AA: one line a rule, with the elements it is about. */
export async function accessibilityProblems(page: Page): Promise<string[]> {
  if (page.frames().length > 1) throw new Error(`${page.url()} has frames, which axe is not put into.`)
  await page.evaluate(settle)
  const violations = await within(60_000, violationsOn(page))
  return violations.map(
    ({ id, help, nodes }) =>
      `${new URL(page.url()).pathname}: ${id}: ${help}: ${nodes.map(({ html }) => html).join(' | ')}`,
  )
}

/** Axe stays in a document for the looks that follow. */
async function violationsOn(page: Page): Promise<axe.Result[]> {
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(axe.source)
  return page.evaluate<axe.Result[]>(runAxe)
}

/** Axe has no deadline of its own. */
async function within<Result>(ms: number, work: Promise<Result>): Promise<Result> {
  const ended = new AbortController()
  try {
    return await Promise.race([work, tooLate(ms, ended.signal)])
  } finally {
    ended.abort()
  }
}

async function tooLate(ms: number, signal: AbortSignal): Promise<never> {
  await setTimeout(ms, undefined, { signal })
  throw new Error(`Axe did not answer within ${ms} ms.`)
}

/** Whether the page can be scrolled sideways, which no width from a phone up may need. */
export async function overflowsSideways(page: Page): Promise<boolean> {
  return page.evaluate<boolean>('document.documentElement.scrollWidth > document.documentElement.clientWidth')
}

/** Deletes what a test that failed half-way may have left: system users outlive the root. */
export async function deleteAllSites(panel: Panel): Promise<void> {
  const { body } = await panel.call<{ sites: { id: string }[] }>('GET', '/api/sites')
  for (const { id } of body.sites) await panel.deleteSite(id)
}
