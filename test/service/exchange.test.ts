import { type Dispatcher, errors } from 'undici';
import { expect, it } from 'vitest';
import { exchange, exchangeFailure } from '../../src/service/exchange.ts';

const system = (code: string) => Object.assign(new Error(code), { code, syscall: 'connect' });
const named = (error: unknown, answered = false) => {
  const { name, cause } = exchangeFailure(error, { answered, connectTimeoutMs: 750 });
  return [name, cause === error];
};

it.each([
  [system('ECONNREFUSED'), 'ConnectionRefusedError', true],
  [system('ECONNRESET'), 'ConnectionLostError', true],
  [system('ENOTFOUND'), 'DnsError', true],
  [system('EAI_AGAIN'), 'DnsError', true],
  [system('CERT_HAS_EXPIRED'), 'TlsError', true],
  [new Error('of unknown kind'), 'ConnectionLostError', false],
  [Object.assign(new Error('with a code that is none'), { code: 7 }), 'ConnectionLostError', false],
  [new errors.HTTPParserError('it quotes what came'), 'NotHttpError', false],
  [new errors.ResponseContentLengthMismatchError(), 'NotHttpError', false],
  ['no error', 'ConnectionLostError', false],
])('%s before an answer is a %s; only errors of the operating system are kept', (error, name, isKept) => {
  expect(named(error)).toEqual([name, isKept]);
});

it.each([
  ['UNABLE_TO_GET_ISSUER_CERT', 'TlsError'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'TlsError'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'TlsError'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'TlsError'],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'TlsError'],
  ['HOSTNAME_MISMATCH', 'TlsError'],
  ['INVALID_CA', 'TlsError'],
  ['INVALID_PURPOSE', 'TlsError'],
  ['PATH_LENGTH_EXCEEDED', 'TlsError'],
  ['EPROTO', 'TlsError'],
  ['EPROTOTYPE', 'ConnectionLostError'],
  ['INVALID_ARGUMENT', 'ConnectionLostError'],
  ['NO_CERT_', 'ConnectionLostError'],
  ['EAI_FAIL', 'DnsError'],
  ['EAI_NODATA', 'DnsError'],
  ['EAI_NONAME', 'DnsError'],
  ['ESERVFAIL', 'DnsError'],
  ['ENODATA', 'DnsError'],
])('%s is a %s, with the code in its sentence', (code, name) => {
  const failure = exchangeFailure(system(code), { answered: false, connectTimeoutMs: 750 });
  expect([failure.name, failure.code]).toEqual([name, code]);
  expect(failure.message).toContain(`(${code})`);
});

it('a connection that takes too long ran out of the time for connecting', () => {
  const failure = exchangeFailure(new errors.ConnectTimeoutError(), { answered: false, connectTimeoutMs: 750 });
  expect(failure.name).toBe('DeadlineError');
  expect(failure.message).toContain('750 ms (connecting)');
});

it('uses the first of several addresses, and a connection that breaks after the head is a truncated answer', () => {
  expect(named(new AggregateError([system('ECONNREFUSED'), system('ENOTFOUND')]))[0]).toBe('ConnectionRefusedError');
  expect(named(new AggregateError([]))[0]).toBe('ConnectionLostError');
  expect(named(system('ECONNRESET'), true)).toEqual(['TruncatedBodyError', true]);
});

it('takes the bytes of a piece and not the piece, of which each takes 300 bytes: a body of 2 MiB in single bytes took half a gigabyte', async () => {
  const handler = Promise.withResolvers<Dispatcher.DispatchHandler>();
  const dispatcher = { dispatch: (_options: unknown, given: Dispatcher.DispatchHandler) => handler.resolve(given) };
  const limits = { deadlineMs: 1_000, connectTimeoutMs: 1_000, maxBytes: 5 };
  const answer = exchange(dispatcher as unknown as Dispatcher, { path: '/', method: 'GET' }, limits);
  const { onResponseStart, onResponseData, onResponseEnd } = await handler.promise;
  const controller = {} as Dispatcher.DispatchController;
  onResponseStart?.(controller, 200, {});
  const piece = Buffer.from('ab');
  onResponseData?.(controller, piece);
  piece.write('cd');
  onResponseData?.(controller, piece);
  onResponseData?.(controller, piece.subarray(0, 1));
  piece.write('xx');
  onResponseEnd?.(controller, {});
  expect((await answer).body.toString()).toBe('abcdc');
});

it('heads that announce another one are left after a hundred: without an end they took a core until the deadline', async () => {
  const handler = Promise.withResolvers<Dispatcher.DispatchHandler>();
  const dispatcher = { dispatch: (_options: unknown, given: Dispatcher.DispatchHandler) => handler.resolve(given) };
  const limits = { deadlineMs: 10_000, connectTimeoutMs: 1_000, maxBytes: 5 };
  const answer = exchange(dispatcher as unknown as Dispatcher, { path: '/', method: 'GET' }, limits);
  const refused = expect(answer).rejects.toThrow('not valid HTTP');
  const { onRequestStart, onResponseStart } = await handler.promise;
  let aborted = 0;
  const controller = { abort: () => aborted++ } as unknown as Dispatcher.DispatchController;
  onRequestStart?.(controller, {});
  for (let n = 0; n < 101; n++) {
    expect(aborted).toBe(0);
    onResponseStart?.(controller, 103, {});
  }
  expect(aborted).toBe(1);
  await refused;
});
