// How the must-use plugin of a WordPress site reaches the API, whose own port is closed to users of sites.
import { integerValue } from '../render-values.ts'
import { block, type Node } from './render-text.ts'

/** In the `http` context: a site may be noisy, the API answers them all. */
export const connectorLimit: Node = 'limit_req_zone $server_name zone=reeve_connector:1m rate=5r/s'

/**
 * Only this machine may ask, only this one endpoint is reached, and the API lets in nobody without the site's token.
 * Nothing of the request goes on but the token and the body.
 */
export function connectorLocation(apiPort: number): Node {
  const port = integerValue('port of the API', apiPort, 1, 65_535)
  return block('location = /.well-known/reeve/purge', [
    'allow 127.0.0.1',
    'deny all',
    'auth_basic off',
    'access_log off',
    'limit_req zone=reeve_connector burst=20 nodelay',
    'limit_req_status 429',
    'client_max_body_size 2m',
    `proxy_pass http://127.0.0.1:${port}/api/connector/purge`,
    'proxy_http_version 1.1',
    'proxy_pass_request_headers off',
    `proxy_set_header Host 127.0.0.1:${port}`,
    'proxy_set_header Connection ""',
    'proxy_set_header Authorization $http_authorization',
    'proxy_set_header Content-Type application/json',
    'proxy_connect_timeout 2s',
    'proxy_read_timeout 30s',
  ])
}
