// The main file of an installed server's nginx: the embedded one, with the modules that packages have switched on.
import type { Paths } from '../paths.ts'
import { pathValue } from '../render-values.ts'
import { renderNginx } from '../web-server/render-nginx.ts'

export function renderInstalledNginx(paths: Paths, openFiles: number): string {
  const modules = pathValue('folder of modules', paths.nginxModules)
  const main = renderNginx(paths, { modules: [], open_files: openFiles, mimeTypes: '/etc/nginx/mime.types' })
  return `include ${modules}/*.conf;\n${main}`
}
