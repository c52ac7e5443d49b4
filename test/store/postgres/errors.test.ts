/** What the driver, the network and the server say, as the store's own words. */
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { DatabaseUnavailableError } from '../../../src/ports/store/errors.ts';
import { openStore } from '../../../src/store/open.ts';
import { decodeText, encodeParameter } from '../../../src/store/postgres/connection.ts';
import { translateError } from '../../../src/store/postgres/translate-error.ts';
import { SEALER } from '../support/engines.ts';
import { makeDatabase, onServer } from './database.ts';
import { isSwitchedOff } from './server.ts';

function said(code: string, message = 'said the server'): pg.DatabaseError {
  return Object.assign(new pg.DatabaseError(message, 10, 'error'), { code });
}

function system(code: string): Error {
  return Object.assign(new Error(`connect ${code}`), { code });
}

it.skipIf(isSwitchedOff())('tables of a schema that is searched before ours are not taken for ours', async () => {
  await using database = await makeDatabase();
  const { url } = database;
  await (await openStore({ url, sealer: SEALER })).store.close();
  await onServer(
    url,
    'create schema evil; create table evil.breaks (like public.breaks)',
    'create table evil.kysely_migration as select * from public.kysely_migration',
  );
  const other = `${url}${url.includes('?') ? '&' : '?'}options=-c%20search_path%3Devil,public`;
  await expect(openStore({ url: other, sealer: SEALER })).rejects.toMatchObject({ reason: 'incomplete' });
});

describe('an error', () => {
  it.each([
    [said('28P01'), 'login-refused'],
    [said('28000'), 'login-refused'],
    [said('3D000'), 'no-such-database'],
    [said('42501'), 'not-allowed'],
    [said('25006'), 'standby'],
    [said('53100'), 'full'],
    [said('53300'), 'no-connection-left'],
    [said('55P03'), 'busy'],
    [said('57014'), 'took-too-long'],
    [said('25P03'), 'took-too-long'],
    [said('57P01'), 'connection-lost'],
    [said('08006'), 'connection-lost'],
    [said('08P01'), 'connection-lost'],
    [said('08P01', 'SASL authentication failed'), 'login-refused'],
    [said('XX001'), 'damaged-pages'],
    [said('58030'), 'io'],
    [system('ECONNREFUSED'), 'unreachable'],
    [system('ENOTFOUND'), 'unreachable'],
    [system('ECONNRESET'), 'connection-lost'],
    [new AggregateError([system('ECONNREFUSED'), system('ECONNREFUSED')]), 'unreachable'],
    [new Error('Connection terminated unexpectedly'), 'connection-lost'],
    [new Error('timeout exceeded when trying to connect'), 'unreachable'],
    [new Error('The server does not support SSL connections'), 'tls'],
    [new Error('SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string'), 'login-refused'],
  ])('%s is %s', (error, reason) => {
    const translated = translateError(error, 'db.example:5432/tieout');
    expect(translated).toBeInstanceOf(DatabaseUnavailableError);
    expect(translated).toMatchObject({ reason, cause: error });
    expect((translated as Error).message).toContain('db.example:5432/tieout');
  });

  it('about the program is passed on, without the values that it quotes', () => {
    const constraint = Object.assign(said('23505'), { detail: 'Key (record_id)=(abc) already exists.' });
    expect(translateError(constraint, 'x')).toBe(constraint);
    expect(constraint.detail).toBeUndefined();
    const mistake = new TypeError('not a function');
    expect(translateError(mistake, 'x')).toBe(mistake);
  });
});

describe('a text', () => {
  it.each(['', 'plain', 'a\u0000b', '\u001a', '\u001a0', '\u001a1\u0000\u001a', 'ünï\u0000'])(
    '%j comes back',
    (text) => {
      const sent = encodeParameter(text);
      expect(sent).not.toContain('\u0000');
      expect(decodeText(sent as string)).toBe(text);
    },
  );

  it('in a list is treated like any other', () => {
    expect(encodeParameter(['a', 'b\u0000', 7])).toEqual(['a', 'b\u001a0', 7]);
  });
});
