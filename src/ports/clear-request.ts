/** What no honest sender does, for every server of ours: the receiver and the pages. */
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { hostname } from 'node:os';

/** Of two Host headers Node uses the first; a proxy in front of it may have used the last. */
export const hasTwoHosts = ({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): boolean =>
  rawHeaders.filter((name, i) => i % 2 === 0 && /^host$/i.test(name)).length > 1;

/** A body of 256 KiB comes over a network in some two hundred; so many take about its size. */
const MOST_PIECES = 1024;

/**
 * Each piece of a body takes 300 bytes until the last one has come, and a chunk may have one byte: 40 strangers took 2.6 GB.
 * The connection is cut. To be called before the body is read.
 * @param refusal what the reader of the body is given as its error
 */
export function refusePieces(body: IncomingMessage, refusal: () => Error): void {
  // A file has as many, and a stranger's is not read.
  if (/^multipart\//i.test(body.headers['content-type'] ?? '')) return;
  let pieces = 0;
  // Where its type is unknown, the body is not read, and an error without a listener would end the process.
  body.on('error', () => {});
  body.on('data', () => {
    if (++pieces !== MOST_PIECES) return;
    body.emit('error', refusal());
    body.socket.destroy();
  });
}

const LOOPBACK = /^(?:::ffff:)?127\.|^::1$/;

/**
 * Whether a browser may have been led to this machine by the name of a stranger (DNS rebinding), whose page then reads what is
 * only for this machine. No stranger owns an address, or a name without a dot.
 */
export function isRebound({ headers, socket }: IncomingMessage): boolean {
  if (headers.host === undefined || !LOOPBACK.test(socket.localAddress ?? '')) return false;
  const name = headers.host
    .replace(/:\d*$/, '')
    .replace(/^\[|\]$/g, '')
    .toLowerCase();
  const isOurs = isIP(name) !== 0 || !name.includes('.') || name.endsWith('.localhost');
  return !isOurs && name !== hostname().toLowerCase();
}
