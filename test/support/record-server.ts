/**
 * A plain server in the place of the Service, for records of any content: a map from id to answer, which tests change between
 * nights. It knows nothing of the sandbox, so bodies from elsewhere can be put before Tieout.
 */
import { createServer, type ServerResponse } from 'node:http';
import { listenLocally } from './listen-locally.ts';

/** What one record (or one other path) is answered with. */
export interface RecordAnswer {
  /** Default 200. */
  status?: number;
  /** Text as it goes over the wire; objects are not accepted, so that every digit is the test's own. */
  body?: string;
  /** `content-type` is JSON unless given here. */
  headers?: Record<string, string>;
  /** Milliseconds before anything is sent. */
  delayMs?: number;
  /** Nothing is sent before this resolves: for tests that must not depend on how fast a machine is. */
  hold?: Promise<void>;
  /** Cuts the connection instead of answering. */
  drop?: boolean;
}

/** The same each time, or by the count of requests for this record, the first being 1. */
export type Answering = RecordAnswer | ((count: number, url: URL) => RecordAnswer);

export interface SeenRecordRequest {
  method: string;
  path: string;
  /** The record asked for; null for every other path. */
  id: string | null;
  secret: string | null;
  body: string;
}

export interface RecordServer {
  /** Ends in `/api`, as the Service's base does. */
  url: string;
  /** By record id; an id that is not here is answered with the application's 404. */
  answers: Map<string, Answering>;
  /** By path below the base (`/host-api/v3/assets`), for everything that is no record. */
  paths: Map<string, Answering>;
  requests: SeenRecordRequest[];
  /** The address that each of them came from. */
  sources: string[];
  /** How often a record was asked for. */
  count(id: string): number;
  close(): Promise<void>;
}

const RECORD_PATH = /^\/api\/host-api\/(?:purchase|offramp\/sale)\/([^/]+)$/;
const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };

export const UNKNOWN_RECORD: RecordAnswer = {
  status: 404,
  body: '{"code":"SERVICES.HOST_API.RECORD_NOT_FOUND","statusCode":404}',
};

/** Starts on a free port of the loopback address. */
export async function startRecordServer(answers: Readonly<Record<string, Answering>> = {}): Promise<RecordServer> {
  const byId = new Map(Object.entries(answers));
  const paths = new Map<string, Answering>();
  const requests: SeenRecordRequest[] = [];
  const sources: string[] = [];
  const counts = new Map<string, number>();
  const answerTo = (key: string, url: URL): RecordAnswer => {
    const id = RECORD_PATH.exec(url.pathname)?.[1];
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    const found = id === undefined ? paths.get(url.pathname.replace(/^\/api/, '')) : byId.get(id);
    if (found === undefined) return UNKNOWN_RECORD;
    return typeof found === 'function' ? found(count, url) : found;
  };
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://service.test');
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const id = RECORD_PATH.exec(url.pathname)?.[1] ?? null;
      sources.push(request.socket.remoteAddress ?? '');
      requests.push({
        method: request.method ?? '',
        path: url.pathname,
        id,
        secret: url.searchParams.get('secret'),
        body: Buffer.concat(chunks).toString(),
      });
      const answer = answerTo(id ?? url.pathname, url);
      setTimeout(() => void (answer.hold ?? Promise.resolve()).then(() => send(response, answer)), answer.delayMs ?? 0);
    });
  });
  return {
    url: `http://127.0.0.1:${await listenLocally(server)}/api`,
    answers: byId,
    paths,
    requests,
    sources,
    count: (id) => counts.get(id) ?? 0,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function send(response: ServerResponse, { status = 200, body = '', headers = {}, drop = false }: RecordAnswer): void {
  if (drop) {
    response.socket?.destroy();
    return;
  }
  // Its callers' clocks stand where a test puts them; a test of clocks gives the header itself.
  response.sendDate = false;
  response.writeHead(status, { ...JSON_TYPE, ...headers });
  response.end(body);
}
