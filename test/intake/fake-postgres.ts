/** Enough of the PostgreSQL protocol (version 3) to be asked by the real driver: a fake at the wire. */
import { createServer, type Server, type Socket } from 'node:net';
import { listenLocally } from '../support/listen-locally.ts';

export type Answer =
  | { columns: readonly string[]; rows: readonly (readonly (string | null)[])[]; types?: readonly number[] }
  | { error: { code: string; message: string } }
  /** Drops the connection. */
  | 'gone'
  /** Says nothing. */
  | 'silent'
  /** At the start: asks for a password. */
  | 'scram'
  | undefined;

export interface FakePostgres extends AsyncDisposable {
  port: number;
  /** Every statement received; those of the extended protocol begin with `extended: `. */
  statements: string[];
}

const TEXT = 25;

function message(type: string, ...parts: (Buffer | string)[]): Buffer {
  const body = Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(`${part}\0`) : part)));
  const head = Buffer.alloc(5);
  head.write(type, 0);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

const int16 = (value: number) => Buffer.from([(value >> 8) & 255, value & 255]);
const int32 = (value: number) => {
  const buffer = Buffer.alloc(4);
  buffer.writeInt32BE(value);
  return buffer;
};
const READY = message('Z', Buffer.from('I'));

function described(answer: Exclude<Answer, { error: unknown } | string | undefined>): Buffer {
  const fields = answer.columns.map((name, index) =>
    Buffer.concat([
      Buffer.from(`${name}\0`),
      int32(0),
      int16(0),
      int32(answer.types?.[index] ?? TEXT),
      int16(-1),
      int32(-1),
      int16(0),
    ]),
  );
  const rows = answer.rows.map((row) =>
    message(
      'D',
      int16(row.length),
      ...row.map((cell) =>
        cell === null ? int32(-1) : Buffer.concat([int32(Buffer.byteLength(cell)), Buffer.from(cell)]),
      ),
    ),
  );
  return Buffer.concat([message('T', int16(fields.length), ...fields), ...rows]);
}

function failure({ code, message: text }: { code: string; message: string }): Buffer {
  return message('E', 'SERROR', `C${code}`, `M${text}`, Buffer.from([0]));
}

function serve(socket: Socket, answer: (statement: string) => Answer, statements: string[]): void {
  let buffer = Buffer.alloc(0);
  let started = false;
  let failed = false;
  const reply = (statement: string): Answer => {
    statements.push(statement);
    return answer(statement);
  };
  const simple = (text: string): void => {
    const result = reply(text);
    if (result === 'gone') socket.destroy();
    else if (result === 'silent' || result === 'scram') return;
    else if (result === undefined) socket.write(Buffer.concat([message('C', 'OK'), READY]));
    else if ('error' in result) socket.write(Buffer.concat([failure(result.error), READY]));
    else socket.write(Buffer.concat([described(result), message('C', `FETCH ${result.rows.length}`), READY]));
  };
  const extended = (type: string, body: Buffer): void => {
    if (type === 'P') {
      const result = reply(`extended: ${body.toString('utf8', 1, body.indexOf(0, 1))}`);
      failed = typeof result === 'object' && 'error' in result;
      if (failed && typeof result === 'object' && 'error' in result) socket.write(failure(result.error));
      else socket.write(message('1'));
    } else if (type === 'S') {
      failed = false;
      socket.write(READY);
    } else if (!failed) {
      const answers: Record<string, Buffer> = { B: message('2'), D: message('n'), E: message('C', 'DECLARE CURSOR') };
      const known = answers[type];
      if (known !== undefined) socket.write(known);
    }
  };
  const take = (): boolean => {
    if (!started) {
      if (buffer.length < 4 || buffer.length < buffer.readInt32BE(0)) return false;
      buffer = buffer.subarray(buffer.readInt32BE(0));
      started = true;
      const result = reply('startup');
      if (typeof result === 'object' && 'error' in result) socket.end(failure(result.error));
      else if (result === 'scram') socket.write(message('R', int32(10), 'SCRAM-SHA-256', Buffer.from([0])));
      else socket.write(Buffer.concat([message('R', int32(0)), READY]));
      return true;
    }
    if (buffer.length < 5 || buffer.length < 1 + buffer.readInt32BE(1)) return false;
    const type = buffer.toString('latin1', 0, 1);
    const body = buffer.subarray(5, 1 + buffer.readInt32BE(1));
    buffer = buffer.subarray(1 + buffer.readInt32BE(1));
    if (type === 'p') socket.write(message('R', int32(11), Buffer.from('r=more,s=AAAA,i=4096')));
    else if (type === 'Q') simple(body.toString('utf8', 0, body.length - 1));
    else if (type === 'X') socket.end();
    else extended(type, body);
    return true;
  };
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk) => {
    buffer = Buffer.concat([buffer, chunk]);
    while (take());
  });
}

export async function startFakePostgres(answer: (statement: string) => Answer): Promise<FakePostgres> {
  const statements: string[] = [];
  const server: Server = createServer((socket) => serve(socket, answer, statements));
  const port = await listenLocally(server);
  return {
    port,
    statements,
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
