/** Answers that are not about the records: a blocked address, dead tokens, another system at the base URL. */
import { existsSync } from 'node:fs';
import { expect } from 'vitest';
import type { Meddling } from './harness/proxy.ts';
import { faultRow } from './harness/row.ts';
import { openScene, SCENE_DATE, SCENE_SET, type Scene } from './harness/scene.ts';

const json =
  (status: number, body: string, type = 'application/json'): Meddling =>
  ({ response }) =>
    void response.writeHead(status, { 'content-type': type }).end(body);

const framework404 = '{"message":"Route GET:/x not found","error":"Not Found","statusCode":404}';

/** Everything that is asked is answered so; the run must end with 4 and say something of this. */
const ABORTS: readonly [what: string, meddle: Meddling, says: RegExp][] = [
  ['403 for all', json(403, '{"code":"FORBIDDEN","statusCode":403}'), /401|403|refus|block/i],
  ['401 for all', json(401, '{"message":"Unauthorized","statusCode":401}'), /401|403|refus|block/i],
  ['another API: unknown path', json(404, framework404), /service\.url|path|address/i],
  ['another API: its own 404', json(404, '{"error":"no such thing"}'), /service\.url|path|address/i],
  ['a web server: HTML 404', json(404, '<h1>Not Found</h1>', 'text/html'), /service\.url|path|address|JSON|usable/i],
  ['a web server: HTML 200', json(200, '<h1>It works</h1>', 'text/html'), /service\.url|JSON|usable|answer/i],
  ['one record for all', json(200, ''), /another|body|ids|service\.url/i],
];

faultRow(
  {
    number: 11,
    fault: 'another system at `service.url`: 403 for all records, from the start or from the middle; 404 for a third',
    how: 'a proxy gives these answers to every record or to a third, in a new place and in one with a finished night',
    mustHold:
      'answers that are not about the records end the run with 4, publish nothing and open no break; the other answers are breaks',
  },
  async (row) => {
    await using scene = await openScene({ records: row.isShort ? 21 : 120, defects: 0 });
    const { sandbox, proxy } = scene;
    const [first] = sandbox.trackedLines();
    const own = await (
      await fetch(
        `${sandbox.url}/host-api/${first?.kind === 'sale' ? 'offramp/sale' : 'purchase'}/${first?.id}?secret=${first?.view_token}`,
      )
    ).text();
    let aborted = 0;
    let falseBreaks = 0;
    for (const [what, meddle, says] of row.isShort ? ABORTS.filter((_, n) => n % 4 === 1 || n === 0) : ABORTS) {
      proxy.meddle = what === 'one record for all' ? json(200, own) : meddle;
      const { code, err } = await scene.place.process(['run', '--date', SCENE_DATE]);
      expect(code, `${what}: ${err}`).toBe(4);
      expect(err, what).toMatch(says);
      expect(existsSync(scene.place.path('out', SCENE_DATE)), what).toBe(false);
      aborted++;
      falseBreaks += await breaks(scene);
    }
    row.measured('runs that exit 4', aborted);
    row.measured('breaks that they opened', falseBreaks);
    expect(falseBreaks).toBe(0);
    const missing = new Set(scene.ids.filter((_, n) => n % 3 === 0));
    proxy.meddle = (call) =>
      missing.has(call.recordId ?? '') ? json(404, '{"code":"RECORD_NOT_FOUND","statusCode":404}')(call) : call.pass();
    const third = await scene.place.process(['run', '--date', SCENE_DATE]);
    expect(third.code, third.err).toBe(1);
    const told = scene.place.csv('latest', 'breaks').rows.filter(({ rule }) => rule === 'RECORD_MISSING');
    row.measured('RECORD_MISSING where a third are 404', `${told.length} of ${missing.size}`);
    expect(new Set(told.map(({ record_id }) => record_id))).toEqual(missing);
    // The others were judged.
    const verdicts = scene.place.csv('latest', 'records').rows.filter(({ record_id = '' }) => !missing.has(record_id));
    expect(verdicts.filter(({ verdict }) => verdict === 'unverified')).toEqual([]);
    const refused = new Set(scene.ids.filter((_, n) => n % 7 === 1));
    proxy.meddle = (call) =>
      refused.has(call.recordId ?? '') ? json(403, '{"code":"FORBIDDEN","statusCode":403}')(call) : call.pass();
    const seventh = await scene.place.process(['audit', '--from', '2026-01-01', '--to', '2027-01-01', '--json']);
    expect(seventh.code, seventh.err).toBe(1);
    const list = JSON.parse((await scene.place.process(['breaks', 'list', '--json'])).out) as {
      breaks: { rule: string }[];
    };
    const denied = list.breaks.filter(({ rule }) => rule === 'ACCESS_DENIED');
    row.measured('ACCESS_DENIED where a seventh are 403', `${denied.length} of ${refused.size}`);
    expect(denied.length).toBe(refused.size);
    // Another API that says 200 to everything is a Service whose fields have changed: nothing is judged by it.
    await using drifted = await openScene({ records: 25, defects: 0 });
    drifted.proxy.meddle = json(200, '{"status":"ok","version":"2.1"}');
    await drifted.place.process(['run', '--date', SCENE_DATE]);
    const read = drifted.place.csv(SCENE_SET, 'records').rows.filter(({ verdict }) => verdict !== 'quarantined');
    row.measured('records not quarantined where other JSON comes with 200', read.length);
    expect(read).toEqual([]);
    for (const [what, until] of [
      ['blocked in the middle for six answers', 6] as const,
      ['blocked from the middle to the end', Infinity] as const,
    ]) {
      await using blocked = await openScene({ records: row.isShort ? 21 : 120, defects: 0 });
      // Not for most of them: that would end the run.
      const from = Math.floor(blocked.ids.length * 0.7);
      let answered = 0;
      blocked.proxy.meddle = (call) => {
        answered++;
        const isBlocked = answered > from && answered <= from + until;
        return isBlocked ? json(403, '{"code":"FORBIDDEN","statusCode":403}')(call) : call.pass();
      };
      const { code, err } = await blocked.place.process(['run', '--date', SCENE_DATE]);
      // Lifted, every record is judged in the end; lasting, the rest is deferred.
      expect(code, `${what}: ${err}`).toBe(until === Infinity ? 3 : 0);
      const denials = blocked.place.csv(SCENE_SET, 'breaks').rows.filter(({ rule }) => rule === 'ACCESS_DENIED');
      row.measured(`${what}, exit ${code}, breaks`, denials.length);
      expect(denials).toEqual([]);
    }
    // A block after a good night takes nothing back.
    const before = await breaks(scene);
    proxy.meddle = json(403, '{"code":"FORBIDDEN","statusCode":403}');
    expect((await scene.place.process(['audit', '--from', '2026-01-01', '--to', '2027-01-01'])).code).toBe(4);
    expect(await breaks(scene)).toBe(before);
  },
);

async function breaks({ place }: Scene): Promise<number> {
  const { out } = await place.process(['breaks', 'list', '--json']);
  return (JSON.parse(out) as { breaks: unknown[] }).breaks.length;
}
