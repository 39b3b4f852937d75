// Just enough FastCGI (the 1996 specification, §3 and §5) to ask a pool for a page, above all for its ping page.
import { connect } from 'node:net'

const version = 1
const beginRequest = 1
const params = 4
const stdin = 5
const stdout = 6
const responder = 1

/** Whether the pool behind this socket answers its ping path with `pong`. */
export async function pingPool(socketPath: string, timeoutMs = 1000): Promise<boolean> {
  const path = '/reeve-ping'
  const values = { REQUEST_METHOD: 'GET', SCRIPT_NAME: path, SCRIPT_FILENAME: path, REQUEST_URI: path }
  return (await askPool(socketPath, values, timeoutMs)).includes('pong')
}

/** Headers and body of the pool's answer to a GET request; as much as came before an error or the deadline. */
export function askPool(
  socketPath: string,
  values: Readonly<Record<string, string>>,
  timeoutMs: number,
): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>()
  const socket = connect(socketPath)
  const chunks: Buffer[] = []
  const finish = () => {
    socket.destroy()
    resolve(standardOutput(Buffer.concat(chunks)))
  }
  socket.setTimeout(timeoutMs, finish)
  socket.on('error', finish)
  socket.on('close', finish)
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  socket.on('connect', () => socket.write(requestOf(values)))
  return promise
}

function requestOf(values: Readonly<Record<string, string>>): Buffer {
  const pairs = Object.entries(values).map(([name, value]) =>
    Buffer.concat([lengthOf(name), lengthOf(value), Buffer.from(name + value)]),
  )
  return Buffer.concat([
    recordOf(beginRequest, Buffer.from([0, responder, 0, 0, 0, 0, 0, 0])),
    recordOf(params, Buffer.concat(pairs)),
    recordOf(params, Buffer.alloc(0)),
    recordOf(stdin, Buffer.alloc(0)),
  ])
}

/** One byte up to 127, else four with the highest bit set (§3.4). */
function lengthOf(text: string): Buffer {
  const length = Buffer.byteLength(text)
  if (length < 128) return Buffer.from([length])
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE((length | 0x80000000) >>> 0)
  return bytes
}

function recordOf(type: number, content: Buffer): Buffer {
  const header = Buffer.from([version, type, 0, 1, content.length >> 8, content.length & 0xff, 0, 0])
  return Buffer.concat([header, content])
}

function standardOutput(bytes: Buffer): string {
  let text = ''
  for (let at = 0; at + 8 <= bytes.length; ) {
    const type = bytes.readUInt8(at + 1)
    const length = bytes.readUInt16BE(at + 4)
    if (type === stdout) text += bytes.toString('utf8', at + 8, at + 8 + length)
    at += 8 + length + bytes.readUInt8(at + 6)
  }
  return text
}
