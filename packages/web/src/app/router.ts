// The pages. Each is a chunk of its own; what a page reads is asked for while its chunk loads.
import type { QueryClient } from '@tanstack/react-query'
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router'
import { sftpQuery, sshKeysQuery } from '../access/queries.ts'
import { sessionsQuery, usersQuery } from '../accounts/queries.ts'
import { cacheStatsQuery } from '../cache/queries.ts'
import { cronQuery } from '../cron/queries.ts'
import { driftQuery } from '../drift/queries.ts'
import { ApiError } from '../lib/api.ts'
import {
  bootstrapQuery,
  capacityQuery,
  meQuery,
  queryClient,
  siteQuery,
  sitesQuery,
  taskQuery,
  tasksQuery,
} from '../lib/queries.ts'
import { LoadProblem, MissingPage } from './boundaries.tsx'

const rootRoute = createRootRouteWithContext<{ client: QueryClient }>()({
  notFoundComponent: MissingPage,
  errorComponent: LoadProblem,
})

const isSignedOut = (error: unknown): boolean => error instanceof ApiError && error.status === 401

/** Whether somebody is signed in. Asked of the API, never guessed from how the document was loaded. */
async function isSignedIn(client: QueryClient): Promise<boolean> {
  try {
    await client.ensureQueryData(meQuery)
    return true
  } catch (error) {
    if (isSignedOut(error)) return false
    throw error
  }
}

const importShell = () => import('./shell.tsx')

const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

const setupRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/setup',
  beforeLoad: async ({ context }) => {
    const bootstrap = await context.client.fetchQuery(bootstrapQuery)
    if (bootstrap.setup_complete) throw redirect({ to: '/login', replace: true })
  },
  component: lazyRouteComponent(() => import('../accounts/setup-page.tsx'), 'SetupPage'),
})

const loginRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/login',
  validateSearch: (search: Record<string, unknown>): { next?: string } => {
    const next = text(search['next'])
    return next === undefined ? {} : { next }
  },
  beforeLoad: async ({ context }) => {
    const bootstrap = await context.client.ensureQueryData(bootstrapQuery)
    if (!bootstrap.setup_complete) throw redirect({ to: '/setup', replace: true })
  },
  component: lazyRouteComponent(() => import('../accounts/login-page.tsx'), 'LoginPage'),
})

const shellRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'shell',
  beforeLoad: async ({ context, location }) => {
    void context.client.prefetchQuery(bootstrapQuery)
    if (await isSignedIn(context.client)) return
    const bootstrap = await context.client.ensureQueryData(bootstrapQuery)
    if (!bootstrap.setup_complete) throw redirect({ to: '/setup', replace: true })
    const search = location.pathname === '/' ? {} : { next: location.href }
    throw redirect({ to: '/login', search, replace: true })
  },
  component: lazyRouteComponent(importShell, 'Shell'),
})

const homeRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/',
  beforeLoad: ({ context }) => {
    const me = context.client.getQueryData(meQuery.queryKey)
    if (me?.role === 'operator') throw redirect({ to: '/sites', replace: true })
  },
  loader: ({ context }) => {
    void context.client.prefetchQuery(sitesQuery)
    void context.client.prefetchQuery(tasksQuery)
    void context.client.prefetchQuery(capacityQuery)
  },
  component: lazyRouteComponent(() => import('../system/overview-page.tsx'), 'OverviewPage'),
})

const sitesRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/sites',
  loader: ({ context }) => void context.client.prefetchQuery(sitesQuery),
  component: lazyRouteComponent(() => import('../sites/sites-page.tsx'), 'SitesPage'),
})

const newSiteRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/sites/new',
  validateSearch: (search: Record<string, unknown>): { again?: string } => {
    const again = text(search['again'])
    return again === undefined ? {} : { again }
  },
  loader: ({ context }) => void context.client.prefetchQuery(capacityQuery),
  component: lazyRouteComponent(() => import('../sites/new-site-page.tsx'), 'NewSitePage'),
})

const siteRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/sites/$id',
  loader: ({ context, params }) => void context.client.prefetchQuery(siteQuery(params.id)),
  component: lazyRouteComponent(() => import('../sites/site-page.tsx'), 'SitePage'),
})

const siteOverviewRoute = createRoute({
  getParentRoute: () => siteRoute,
  path: '/',
  loader: ({ context }) => void context.client.prefetchQuery(tasksQuery),
  component: lazyRouteComponent(() => import('../sites/site-overview.tsx'), 'SiteOverview'),
})

const siteConfigRoute = createRoute({
  getParentRoute: () => siteRoute,
  path: '/config',
  component: lazyRouteComponent(() => import('../sites/config-page.tsx'), 'ConfigPage'),
})

const sitePhpRoute = createRoute({
  getParentRoute: () => siteRoute,
  path: '/php',
  loader: ({ context }) => void context.client.prefetchQuery(capacityQuery),
  component: lazyRouteComponent(() => import('../php/php-page.tsx'), 'PhpPage'),
})

const siteCertificateRoute = createRoute({
  getParentRoute: () => siteRoute,
  path: '/certificate',
  component: lazyRouteComponent(() => import('../certificates/certificate-page.tsx'), 'CertificatePage'),
})

const siteCacheRoute = createRoute({
  getParentRoute: () => siteRoute,
  path: '/cache',
  loader: ({ context, params }) => void context.client.prefetchQuery(cacheStatsQuery(params.id)),
  component: lazyRouteComponent(() => import('../cache/cache-page.tsx'), 'CachePage'),
})

const siteCronRoute = createRoute({
  getParentRoute: () => siteRoute,
  path: '/cron',
  loader: ({ context, params }) => void context.client.prefetchQuery(cronQuery(params.id)),
  component: lazyRouteComponent(() => import('../cron/cron-page.tsx'), 'CronPage'),
})

const siteAccessRoute = createRoute({
  getParentRoute: () => siteRoute,
  path: '/access',
  loader: ({ context, params }) => {
    void context.client.prefetchQuery(sftpQuery(params.id))
    void context.client.prefetchQuery(sshKeysQuery(params.id))
  },
  component: lazyRouteComponent(() => import('../access/access-page.tsx'), 'AccessPage'),
})

const siteLogsRoute = createRoute({
  getParentRoute: () => siteRoute,
  path: '/logs',
  component: lazyRouteComponent(() => import('../logs/site-logs-page.tsx'), 'SiteLogsPage'),
})

const siteRoutes = siteRoute.addChildren([
  siteOverviewRoute,
  siteConfigRoute,
  sitePhpRoute,
  siteCertificateRoute,
  siteCacheRoute,
  siteCronRoute,
  siteAccessRoute,
  siteLogsRoute,
])

const tasksRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/tasks',
  loader: ({ context }) => void context.client.prefetchQuery(tasksQuery),
  component: lazyRouteComponent(() => import('../tasks/tasks-page.tsx'), 'TasksPage'),
})

const taskRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/tasks/$id',
  loader: ({ context, params }) => void context.client.prefetchQuery(taskQuery(params.id)),
  component: lazyRouteComponent(() => import('../tasks/task-page.tsx'), 'TaskPage'),
})

const accountRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/account',
  loader: ({ context }) => void context.client.prefetchQuery(sessionsQuery),
  component: lazyRouteComponent(() => import('../accounts/account-page.tsx'), 'AccountPage'),
})

const usersRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/users',
  loader: ({ context }) => {
    void context.client.prefetchQuery(usersQuery)
    void context.client.prefetchQuery(sitesQuery)
  },
  component: lazyRouteComponent(() => import('../accounts/users-page.tsx'), 'UsersPage'),
})

const auditRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/audit',
  component: lazyRouteComponent(() => import('../audit/audit-page.tsx'), 'AuditPage'),
})

const driftRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/drift',
  loader: ({ context }) => {
    void context.client.prefetchQuery(driftQuery)
    void context.client.prefetchQuery(sitesQuery)
  },
  component: lazyRouteComponent(() => import('../drift/drift-page.tsx'), 'DriftPage'),
})

const logsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/logs',
  component: lazyRouteComponent(() => import('../logs/logs-page.tsx'), 'LogsPage'),
})

/** Whatever else somebody signed in asks for: the page says so, within the frame that leads on. */
const missingRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '$',
  component: MissingPage,
})

// Asked for while the API is asked who is here, not after it has answered.
if (location.pathname !== '/login' && location.pathname !== '/setup') void importShell()

export const router = createRouter({
  routeTree: rootRoute.addChildren([
    setupRoute,
    loginRoute,
    shellRoute.addChildren([
      homeRoute,
      sitesRoute,
      newSiteRoute,
      siteRoutes,
      tasksRoute,
      taskRoute,
      accountRoute,
      usersRoute,
      auditRoute,
      driftRoute,
      logsRoute,
      missingRoute,
    ]),
  ]),
  context: { client: queryClient },
  defaultPreload: 'intent',
  defaultPreloadStaleTime: 0,
  defaultErrorComponent: LoadProblem,
  defaultNotFoundComponent: MissingPage,
  scrollRestoration: true,
})

// The router's own way of typing links and parameters against the tree above.
declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
